// Replays recorded sessions of the test suites of client libraries. advised-sessions.json lists what each session
// really does. The advisor must find exactly this. Any other finding is false.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startEmulator } from '../../../src/index.ts';
import sessions from './advised-sessions.json' with { type: 'json' };

const recordings = fileURLToPath(new URL('../../../../shared', import.meta.url));
const replayer = join(recordings, 'tools/replay.mjs');
const replayTimeoutMs = 60_000;
/** Targets that a replay cannot reach, although it sends requests without pauses. */
const capacity = { scale: 1_000 };
/** Rules with findings that do not depend on the pace of the replay. */
const certain = ['old-client', 'filter-without-point-read', 'percent-in-key', 'atom-format'];

if (!existsSync(replayer)) console.warn('the recorded sessions are not at hand');

describe.skipIf(!existsSync(replayer))('the advisor on a recorded session', () => {
  it.each(Object.entries(sessions))(
    'finds in %s only what the session does',
    async (session, allowed) => {
      await using emulator = await startEmulator({ capacity });
      const options = { endpoint: `${emulator.url}/devstoreaccount1`, dir: join(recordings, 'recordings/clients') };
      const args = Object.entries({ ...options, src: session }).flatMap(([name, value]) => [`--${name}`, value]);
      await promisify(execFile)(process.execPath, [replayer, ...args, '--quiet'], { timeout: replayTimeoutMs });
      const { findings, requests } = await emulator.advisor.report();
      expect(requests).toBeGreaterThan(0);
      expect(findings.filter(({ rule }) => !Object.hasOwn(allowed, rule))).toEqual([]);
      const found = new Set(findings.map(({ rule }) => rule));
      expect(certain.filter((rule) => Object.hasOwn(allowed, rule) && !found.has(rule))).toEqual([]);
    },
    replayTimeoutMs,
  );
});
