import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createControlPlane } from '../../../src/control/control-plane.ts';
import type { ControlTools } from '../../../src/control/control-route.ts';
import { startEmulator } from '../../../src/index.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/sqlite-store.ts';
import type { Store } from '../../../src/storage/store.ts';
import { ask, codeOf, messageOf } from '../../support/control-plane.ts';
import { tableNamed } from '../../support/entities.ts';
import { storeTimes } from '../../support/manual-time.ts';
import { keepsFiles, startService } from '../../support/service.ts';
import { openClient } from '../../support/table-client.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { spoilMiddlePages } from '../../unit/storage/sqlite/harms.ts';

const path = '/_emulator/ready';
const folder = temporaryFolder();
const location = join(folder.path, 'data');
const file = join(location, 'devstoreaccount1.sqlite');
const service = await startService({ location });
afterAll(() => folder.remove());

describe('Ready', () => {
  it.runIf(keepsFiles)('answers that the emulator is ready, and creates no data', async () => {
    const { status, json } = await ask(service.origin, { method: 'GET', path });
    expect([status, json]).toEqual([200, { status: 'ready' }]);
    expect(existsSync(file)).toBe(false);
    await service.createTable('Pets');
    expect((await ask(service.origin, { method: 'GET', path })).json).toEqual({ status: 'ready' });
    expect(existsSync(file)).toBe(true);
  });

  it('answers HEAD with only the headers', async () => {
    const { status, text } = await ask(service.origin, { method: 'HEAD', path });
    expect([status, text]).toEqual([200, '']);
  });

  it('answers 405 to a verb that writes', async () => {
    const answer = await ask(service.origin, { method: 'POST', path, body: {} });
    expect([answer.status, codeOf(answer), answer.headers['allow']]).toEqual([405, 'MethodNotAllowed', 'GET, HEAD']);
  });
});

describe('A probe', () => {
  const openStore = (place: { location?: string } = {}): Promise<Store> =>
    openSqliteStore({ ...place, durability: 'none', ...storeTimes() });
  /** With accounts any, existing accounts must be looked up in the store. */
  const onStore = (store: Store, isClosing = false) => {
    const faults: unknown[] = [];
    const lines: string[] = [];
    const plane = createControlPlane({
      // Other routes need more tools; this one does not.
      ...({} as ControlTools),
      guard: { listenHost: '127.0.0.1', boundAddress: '127.0.0.1' },
      store,
      accountNames: async () => ['devstoreaccount1', ...(await store.names())],
      startedMs: 0,
      machineTime: { monotonicMs: () => 61_999, after: () => () => undefined },
      isClosing: () => isClosing,
      onInternalError: (error) => faults.push(error),
      onAnswered: ({ method, url: asked, status }) => lines.push(`${method} ${asked} ${status}`),
    });
    const get = async (route: string) => {
      const answer = await (await plane).inject({ url: `/_emulator/${route}`, headers: { host: 'localhost' } });
      return { status: answer.statusCode, text: answer.body };
    };
    return { get, faults, lines };
  };

  it('writes no log line while the emulator is ready', async () => {
    const store = await openStore();
    const { get, faults, lines } = onStore(store);
    expect((await get('health')).text).toContain('"uptimeSeconds":61,');
    expect((await get('ready')).status).toBe(200);
    expect((await get('absent')).status).toBe(404);
    expect({ faults, lines }).toEqual({ faults: [], lines: ['GET /_emulator/absent 404'] });
    await store.close();
  });

  it('answers 503 once the data cannot be read, with the reason in the log and not in the response', async () => {
    const place = join(folder.path, 'unreadable');
    const store = await openStore({ location: place });
    writeFileSync(join(place, 'devstoreaccount1.sqlite'), 'no database');
    const { get, faults, lines } = onStore(store);
    for (const route of ['health', 'ready']) {
      const { status, text } = await get(route);
      expect(status).toBe(503);
      expect(JSON.parse(text)).toEqual({
        error: { code: 'StoreFailed', message: 'The data cannot be read; the log of the emulator says why.' },
      });
    }
    expect(faults.map(String)).toEqual(Array(2).fill(expect.stringContaining('is not a database')));
    expect(lines).toEqual(['GET /_emulator/health 503', 'GET /_emulator/ready 503']);
    await store.close();
  });

  it.runIf(process.platform !== 'win32')(
    'answers 503 once its folder was deleted, or replaced by another',
    async () => {
      const location = join(folder.path, 'gone');
      const store = await openStore({ location });
      await store.account('devstoreaccount1').createTable(tableNamed('Pets'));
      const { get, faults } = onStore(store);
      expect((await get('health')).status).toBe(200);
      rmSync(location, { recursive: true });
      expect((await get('health')).status).toBe(503);
      const other = await openStore({ location });
      expect((await get('ready')).status).toBe(503);
      expect(faults.map(String)).toEqual([
        expect.stringContaining('was deleted'),
        expect.stringContaining('was deleted'),
      ]);
      await Promise.all([store.close(), other.close()]);
    },
  );

  it.runIf(keepsFiles)(
    'answers 503 to ready once a page of an account could not be read, with the name of the account; it runs on',
    async () => {
      const place = join(folder.path, 'damaged');
      const first = await startEmulator({ location: place });
      const before = openClient(first.url);
      await before.send({ method: 'POST', path: '/Tables', body: '{"TableName":"Pets"}' });
      const text = 'x'.repeat(3000);
      for (let row = 0; row < 100; row++) {
        const body = JSON.stringify({ PartitionKey: 'p', RowKey: String(row), Text: text });
        await before.send({ method: 'POST', path: '/Pets', body });
      }
      await before.close();
      await first.close();
      spoilMiddlePages(join(place, 'devstoreaccount1.sqlite'), 20);
      const damaged = await startService({ location: place });
      const statusOf = async (path: string) => (await ask(damaged.origin, { method: 'GET', path })).status;
      expect(await statusOf('/_emulator/ready')).toBe(200);
      const reads = Array.from({ length: 100 }, (_, row) => damaged.get(`/Pets(PartitionKey='p',RowKey='${row}')`));
      const statuses = (await Promise.all(reads)).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([200, 500]));
      expect(statuses.filter((status) => status === 500).length).toBeLessThan(50);
      const answer = await ask(damaged.origin, { method: 'GET', path });
      expect([answer.status, codeOf(answer)]).toEqual([503, 'StoreFailed']);
      expect(messageOf(answer)).toContain('Data of devstoreaccount1 cannot be read');
      expect(await statusOf('/_emulator/health')).toBe(200);
      await damaged.insert('Pets', { PartitionKey: 'q', RowKey: '1' });
      expect((await damaged.get("/Pets(PartitionKey='q',RowKey='1')")).status).toBe(200);
    },
  );

  it('answers 503 to ready and 200 to health while the emulator closes, and logs no fault', async () => {
    const store = await openStore();
    const { get, faults } = onStore(store, true);
    const { status, text } = await get('ready');
    expect([status, text]).toEqual([503, expect.stringContaining('"Closing"')]);
    expect((await get('health')).status).toBe(200);
    expect(faults).toEqual([]);
    await store.close();
  });
});
