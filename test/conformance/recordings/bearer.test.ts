// Replays the sessions with bearer tokens, which were recorded from the real service. The replayer signs requests with
// a key, so a proxy replaces each signature with a token.

import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startEmulator } from '../../../src/index.ts';
import { createSigningKey, keySetOf, signedToken, someone } from '../../support/bearer-tokens.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const recordings = fileURLToPath(new URL('../../../../shared', import.meta.url));
const replayer = join(recordings, 'tools/replay.mjs');
const sessions = join(recordings, 'recordings/storage');
const replayTimeoutMs = 120_000;

interface Report {
  readonly sessions: { readonly run: number; readonly notRun: number };
  readonly byOperation: Readonly<Record<string, { total: number; status: number; matched: number }>>;
}

const isOfBearer = (file: string): boolean => readFileSync(join(sessions, file), 'utf8').includes('"auth": "aad"');

/** Forwards requests unchanged, except that the token replaces the signature. */
async function startProxy(target: string, token: string): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    const forwarded = request(target + incoming.url, { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.statusMessage, answer.rawHeaders);
      answer.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function replay(files: readonly string[]): Promise<Report> {
  const folder = temporaryFolder();
  const at = (name: string): string => join(folder.path, name);
  const key = createSigningKey('one');
  writeFileSync(at('keys.json'), keySetOf(key));
  // The principal may do everything, because some recorded requests read the properties of the service. The roles for
  // tables do not allow that.
  writeFileSync(at('roles.json'), JSON.stringify([{ principalId: someone, dataActions: ['*'], scope: '/' }]));
  const emulator = await startEmulator({
    oauth: 'verify',
    oauthKeys: at('keys.json'),
    roleAssignments: at('roles.json'),
  });
  const proxy = await startProxy(emulator.url, signedToken(key));
  try {
    const options = {
      endpoint: `${proxy.url}/devstoreaccount1`,
      dir: sessions,
      filter: files.map((file) => file.replaceAll('.', '\\.')).join('|'),
      json: at('report.json'),
    };
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
    await promisify(execFile)(process.execPath, [replayer, ...args, '--quiet'], { timeout: replayTimeoutMs });
    return JSON.parse(readFileSync(at('report.json'), 'utf8')) as Report;
  } finally {
    proxy.close();
    await emulator.close();
    folder.remove();
  }
}

it(
  'agrees with the recorded sessions that use bearer tokens: every status, and 98 of 100 responses in every byte that is compared',
  async ({ skip }) => {
    skip(!existsSync(replayer), 'the recorded sessions are not at hand');
    const files = readdirSync(sessions).filter((file) => file.endsWith('.jsonl') && isOfBearer(file));
    const report = await replay(files);
    expect(report.sessions).toMatchObject({ run: files.length, notRun: 0 });
    const sum = (name: 'total' | 'status' | 'matched'): number =>
      Object.values(report.byOperation).reduce((all, operation) => all + operation[name], 0);
    // The other responses follow a continuation that their session never received.
    expect(sum('total')).toBeGreaterThan(40);
    expect(sum('status')).toBe(sum('total'));
    expect(sum('matched') / sum('total'), JSON.stringify(report.byOperation)).toBeGreaterThanOrEqual(0.98);
  },
  replayTimeoutMs,
);
