// Requests that are sent without waiting for earlier responses.

import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ask } from '../support/control-plane.ts';
import { sendRaw, signedHead } from '../support/raw-socket.ts';
import { entityPath, type Service, startService } from '../support/service.ts';

/** Allows one request in flight: a request that starts before the response to the previous one gets 503. */
const service = await startService({ requestsInFlightMax: 1 });
await service.createTable('pets');

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly body?: string;
  readonly isLast?: boolean;
}

function bytesOf({ origin }: Service, { method = 'GET', path, body = '', isLast = false }: Sent): string {
  const target = path.startsWith('/_emulator') ? path : `/devstoreaccount1${path}`;
  const headers = {
    Host: new URL(origin).host,
    Connection: isLast ? 'close' : 'keep-alive',
    ...(body === '' ? {} : { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }),
  };
  return signedHead({ method, target, headers }) + body;
}

const statusesIn = (received: string): number[] =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

describe('Pipelined requests', () => {
  it('are answered in order, each after the previous one was carried out', async () => {
    const put = (n: number): Sent => ({ method: 'PUT', path: entityPath('pets'), body: `{"n":${n}}` });
    const get: Sent = { path: `${entityPath('pets')}?$select=n` };
    const steps = [put(1), get, put(2), get, put(3), { ...get, isLast: true }];
    const received = await sendRaw(service.origin, steps.map((step) => bytesOf(service, step)).join(''));
    expect(statusesIn(received)).toEqual([204, 200, 204, 200, 204, 200]);
    expect(received.match(/"n":\d/g)).toEqual(['"n":1', '"n":2', '"n":3']);
  });

  it('are carried out one at a time', async () => {
    const count = 300;
    const steps = Array.from({ length: count }, (_, at) =>
      bytesOf(service, { path: '/pets()', isLast: at === count - 1 }),
    );
    const statuses = statusesIn(await sendRaw(service.origin, steps.join('')));
    expect(statuses).toHaveLength(count);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('keep their order if some are for the control plane', async () => {
    const steps = [
      { method: 'PUT', path: entityPath('pets', 'p', 'x'), body: '{}' },
      { path: '/_emulator/health' },
      { path: '/pets()', isLast: true },
    ];
    const received = await sendRaw(service.origin, steps.map((step) => bytesOf(service, step)).join(''));
    expect(statusesIn(received)).toEqual([204, 200, 200]);
    expect(received.indexOf('"status"')).toBeLessThan(received.indexOf('"value"'));
  });

  it('wait until the client reads, and are dropped with their connection', async () => {
    // The response that the client does not read stays in flight.
    const service = await startService();
    await service.createTable('pets');
    const texts = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`s${at}`, 'x'.repeat(30_000)]));
    for (let row = 0; row < 12; row++) await service.insert('pets', { RowKey: `row${row}`, ...texts });
    const metrics = async (): Promise<string> =>
      (await ask(service.origin, { method: 'GET', path: '/_emulator/metrics' })).text;
    const answered = async (): Promise<number> => {
      const counts = (await metrics()).matchAll(/^tanzanite_requests_total\{.*\} (\d+)$/gm);
      return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
    };
    /**
     * Reads the number of answered requests again and again, until the number no longer changes. By then, the server
     * has made every answer that it can make. Resolves with the number.
     */
    const settled = async (): Promise<number> => {
      let [count, unchanged] = [await answered(), 0];
      while (unchanged < 50) {
        const now = await answered();
        unchanged = now === count ? unchanged + 1 : 0;
        count = now;
      }
      return count;
    };
    const before = await answered();
    const { hostname, port } = new URL(service.origin);
    const socket = connect(Number(port), hostname).pause();
    socket.write(bytesOf(service, { path: '/pets()' }).repeat(200));
    await expect.poll(answered).toBeGreaterThan(before);
    // The operating system has room for a few of these pages.
    expect((await settled()) - before).toBeLessThan(20);
    expect((await service.get('/Tables')).status).toBe(200);
    socket.destroy();
    await expect.poll(async () => (await metrics()).includes('tanzanite_requests_in_flight 0\n')).toBe(true);
    expect((await settled()) - before).toBeLessThan(25);
  });
});
