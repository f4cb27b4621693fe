// Replays recorded sessions of the real service, and compares the numbers of equal responses with the stored score. The
// test fails if a number is lower than in the score. If a number is higher, the test prints the name of the operation.
// UPDATE_SCORE=1 stores the new numbers as the score.

import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startEmulator } from '../../../src/index.ts';

const recordings = fileURLToPath(new URL('../../../../shared', import.meta.url));
const replayer = join(recordings, 'tools/replay.mjs');
const scoreFile = fileURLToPath(new URL('score.json', import.meta.url));
/** Sessions with these credentials are skipped here; bearer.test.ts replays them. */
const notBuilt = 'bearer';
const replayTimeoutMs = 300_000;

/**
 * For each operation: the number of compared responses, of responses with the same status, and of responses that are
 * equal in every header and value.
 */
type Score = Readonly<Record<string, { readonly total: number; readonly status: number; readonly exact: number }>>;

interface Report {
  readonly sessions: { readonly run: number; readonly notRun: number };
  readonly byOperation: Readonly<Record<string, { total: number; status: number; matched: number }>>;
}

async function replay(): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'replay-'));
  const emulator = await startEmulator();
  try {
    const json = join(folder, 'report.json');
    const options = {
      endpoint: `${emulator.url}/devstoreaccount1`,
      dir: join(recordings, 'recordings/storage'),
      without: notBuilt,
      json,
    };
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
    await promisify(execFile)(process.execPath, [replayer, ...args, '--quiet'], { timeout: replayTimeoutMs });
    return JSON.parse(readFileSync(json, 'utf8')) as Report;
  } finally {
    await emulator.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function scoreOf({ byOperation }: Report): Score {
  const entries = Object.entries(byOperation).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    entries.map(([name, { total, status, matched }]) => [name, { total, status, exact: matched }]),
  );
}

it(
  'agrees with the recorded sessions of the service at least as well as before',
  async ({ skip }) => {
    skip(!existsSync(replayer), 'the recorded sessions are not at hand');
    const report = await replay();
    expect(report.sessions.notRun).toBe(0);
    const score = scoreOf(report);
    if (process.env['UPDATE_SCORE'] === '1') writeFileSync(scoreFile, `${JSON.stringify(score, undefined, 2)}\n`);
    const kept = JSON.parse(readFileSync(scoreFile, 'utf8')) as Score;

    const drops = Object.entries(kept).filter(([name, before]) => {
      const now = score[name];
      return !now || now.exact < before.exact || now.status < before.status || now.total < before.total;
    });
    expect(drops.map(([name, before]) => ({ name, before, now: score[name] }))).toEqual([]);
    const rises = Object.entries(score).filter(([name, now]) => JSON.stringify(now) !== JSON.stringify(kept[name]));
    const names = rises.map(([name]) => name).join(', ');
    if (names !== '') console.warn(`The score of ${names} rose. UPDATE_SCORE=1 keeps it in score.json.`);
  },
  replayTimeoutMs,
);
