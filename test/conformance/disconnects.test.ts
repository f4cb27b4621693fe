// A client that disconnects before it gets the response causes no error in the emulator: the emulator counts no 5xx and
// logs no error.

import { connect } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { defaultEmulatorSettings, runEmulator } from '../../src/emulator.ts';
import { ask } from '../support/control-plane.ts';
import { signedHead } from '../support/raw-socket.ts';
import { serviceAt } from '../support/service.ts';

const lines: { readonly level: 'info' | 'warn' | 'error'; readonly message: string }[] = [];
const recordAt =
  (level: 'info' | 'warn' | 'error') =>
  (_fields: object, message: string): void =>
    void lines.push({ level, message });
const statuses: number[] = [];
const emulator = await runEmulator({
  ...defaultEmulatorSettings,
  port: 0,
  onRequest: ({ status }) => void statuses.push(status),
  log: { info: recordAt('info'), warn: recordAt('warn'), error: recordAt('error') },
});
const service = serviceAt(emulator.url, () => emulator.close());
await service.createTable('pets');
afterAll(() => expect(lines).toEqual([]));

/** Sends the beginning of a request, and disconnects when the server has begun to handle it. */
async function hangUpAfter(text: string): Promise<void> {
  const { hostname, port } = new URL(service.origin);
  const socket = connect(Number(port), hostname);
  await new Promise((resolve) => socket.write(text, resolve));
  await expect.poll(metrics).toMatch(/^tanzanite_requests_in_flight 1$/m);
  socket.destroy();
}

const head = (method: string, target: string, headers: Record<string, string> = {}): string =>
  signedHead({
    method,
    target: `/devstoreaccount1${target}`,
    headers: { Host: new URL(service.origin).host, Connection: 'keep-alive', ...headers },
  });

const metrics = async (): Promise<string> =>
  (await ask(service.origin, { method: 'GET', path: '/_emulator/metrics' })).text;

const requestsTotal = async (): Promise<string[]> => (await metrics()).match(/^tanzanite_requests_total\{.*$/gm) ?? [];

describe('A client that disconnects', () => {
  const length = { 'Content-Type': 'application/json', 'Content-Length': '1000' };

  it.each([
    ['InsertEntity', head('POST', '/pets', length)],
    ['EntityGroupTransaction', head('POST', '/$batch', { ...length, 'Content-Type': 'multipart/mixed; boundary=b' })],
    ['CreateTable', head('POST', '/Tables', { 'Transfer-Encoding': 'chunked' })],
  ])('during %s is logged as 499, and not as an error', async (operation, text) => {
    await hangUpAfter(`${text}{"Par`);
    await expect.poll(requestsTotal).toContain(`tanzanite_requests_total{operation="${operation}",status="499"} 1`);
    expect((await requestsTotal()).filter((line) => /status="5/.test(line))).toEqual([]);
    expect(statuses.at(-1)).toBe(499);
  });
});
