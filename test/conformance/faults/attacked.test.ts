// Faults of the built command when it gets signals, over TLS, and with hostile texts.

import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../../../src/index.ts';
import { signedHead } from '../../support/raw-socket.ts';
import { createTls, hasOpenssl } from '../../support/secure-service.ts';
import { ServerProcess } from '../../support/server-process.mjs';
import { serviceAt } from '../../support/service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

describe('Requests that hang by the hundred', { timeout: 120_000 }, () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'do not keep a process from ending by %s, and leave nothing behind',
    async (signal) => {
      const rules = join(folder.path, `${signal}.json`);
      writeFileSync(rules, JSON.stringify({ match: { operation: 'QueryTables' }, fault: { kind: 'hang' } }));
      const location = join(folder.path, signal);
      const server = new ServerProcess(['--tablePort', '0', '--location', location, '--faults', rules]);
      const url = await server.ready();
      const { port, host } = new URL(url);
      const head = signedHead({ method: 'GET', target: '/devstoreaccount1/Tables', headers: { Host: host } });
      const sockets = Array.from({ length: 300 }, () => connect(Number(port), '127.0.0.1'));
      const closed = sockets.map((socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())));
      for (const socket of sockets)
        socket
          .on('error', () => undefined)
          .resume()
          .write(head);
      const hits = async (): Promise<number> => {
        const { rules } = (await (await fetch(`${url}/_emulator/faults`)).json()) as { rules: { hits: number }[] };
        return rules[0]?.hits ?? 0;
      };
      await expect.poll(hits).toBe(300);
      const { code } = await server.end(signal);
      await Promise.all(closed);
      if (signal === 'SIGTERM') expect(code).toBe(0);
      // The folder can be used again, and the next process has no fault rules without the file.
      const next = new ServerProcess(['--tablePort', '0', '--location', location]);
      const again = await next.ready();
      expect(await (await fetch(`${again}/_emulator/faults`)).json()).toMatchObject({ rules: [] });
      await next.end('SIGTERM');
    },
  );
});

describe.skipIf(!hasOpenssl)('Over TLS (needs the openssl command)', () => {
  it.each([
    ['reset', { kind: 'reset' }],
    ['reset in the middle of its body', { kind: 'reset', at: 'midBody' }],
    ['cut', { kind: 'truncate', bytes: 5 }],
  ] as const)('a response is %s', async (_, fault) => {
    await using emulator = await startEmulator({ tls: createTls() });
    await emulator.faults.add({ when: { first: 1 }, fault });
    const { port } = new URL(emulator.url);
    const ask = (): Promise<string> =>
      new Promise((resolve) => {
        const sent = request({
          port,
          host: '127.0.0.1',
          path: '/devstoreaccount1/Tables',
          rejectUnauthorized: false,
          agent: false,
        });
        sent.on('error', () => resolve('broken'));
        sent.on('response', (answer) => {
          answer.on('error', () => resolve('broken'));
          answer.on('data', () => undefined);
          answer.on('end', () => resolve(answer.complete ? 'complete' : 'broken'));
        });
        sent.end();
      });
    expect([await ask(), await ask()]).toEqual(['broken', 'complete']);
  });
});

describe('A name', () => {
  it.each(['"quoted", and, comma', 'ünïcödé 🦜', 'a%0d%0ab', '<script>', 'x'.repeat(64)])(
    'of any text is sent and shown safely: %s',
    async (name) => {
      const faults: unknown[] = [];
      await using emulator = await startEmulator({ onRequest: ({ fault }) => void faults.push(fault?.rule) });
      const service = serviceAt(emulator.url, async () => undefined);
      await emulator.faults.add({ name, fault: { kind: 'error', code: 'ServerBusy' } });
      const answer = await service.get('/Tables');
      expect(decodeURIComponent(answer.header('x-emulator-fault') ?? '')).toBe(name);
      expect(faults).toEqual([name]);
      const metrics = await (await fetch(`${emulator.url}/_emulator/metrics`)).text();
      expect(metrics.split('\n').filter((line) => line.startsWith('tanzanite_faults_total'))).toHaveLength(1);
    },
  );
});
