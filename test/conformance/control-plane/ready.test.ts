import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createControlPlane } from '../../../src/control/control-plane.ts';
import type { ControlTools } from '../../../src/control/control-tools.ts';
import { systemClock } from '../../../src/model/clock.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/sqlite-store.ts';
import { tableNamed } from '../../unit/storage/entities.ts';
import { temporaryFolder } from '../../unit/storage/temporary-folder.ts';
import { startService } from '../service.ts';
import { ask, codeOf } from './ask.ts';

const path = '/_emulator/ready';
const folder = temporaryFolder();
const location = join(folder.path, 'data');
const file = join(location, 'devstoreaccount1.sqlite');
const service = await startService({ location });
afterAll(() => folder.remove());

describe('Ready', () => {
  it('answers that the emulator is ready, and makes no data by that', async () => {
    const { status, json } = await ask(service.origin, { method: 'GET', path });
    expect([status, json]).toEqual([200, { status: 'ready' }]);
    expect(existsSync(file)).toBe(false);
    await service.createTable('Pets');
    expect((await ask(service.origin, { method: 'GET', path })).json).toEqual({ status: 'ready' });
    expect(existsSync(file)).toBe(true);
  });

  it('answers HEAD with the headers alone', async () => {
    const { status, text } = await ask(service.origin, { method: 'HEAD', path });
    expect([status, text]).toEqual([200, '']);
  });

  it('answers 405 to a verb that writes', async () => {
    const answer = await ask(service.origin, { method: 'POST', path, body: {} });
    expect([answer.status, codeOf(answer), answer.headers['allow']]).toEqual([405, 'MethodNotAllowed', 'GET, HEAD']);
  });
});

describe('A probe', () => {
  const onStore = (store: Pick<ReturnType<typeof openSqliteStore>, 'find' | 'check'>, isClosing = false) => {
    const faults: unknown[] = [];
    const lines: string[] = [];
    const plane = createControlPlane({
      // Other rooms need more of them.
      ...({} as ControlTools),
      guard: { listenHost: '127.0.0.1', boundAddress: '127.0.0.1' },
      store: store as ReturnType<typeof openSqliteStore>,
      accounts: ['devstoreaccount1'],
      uptimeMs: () => 61_999,
      isClosing: () => isClosing,
      onInternalError: (error) => faults.push(error),
      onAnswered: ({ method, url: asked, status }) => lines.push(`${method} ${asked} ${status}`),
    });
    const get = async (room: string) => {
      const answer = await (await plane).inject({ url: `/_emulator/${room}`, headers: { host: 'localhost' } });
      return { status: answer.statusCode, text: answer.body };
    };
    return { get, faults, lines };
  };

  it('leaves no line in the log while all is well', async () => {
    const store = openSqliteStore({ durability: 'none', clock: systemClock });
    const { get, faults, lines } = onStore(store);
    expect((await get('health')).text).toContain('"uptimeSeconds":61}');
    expect((await get('ready')).status).toBe(200);
    expect((await get('absent')).status).toBe(404);
    expect({ faults, lines }).toEqual({ faults: [], lines: ['GET /_emulator/absent 404'] });
    await store.close();
  });

  it('answers 503 once the data cannot be read, with the reason in the log and not in the answer', async () => {
    const store = openSqliteStore({ durability: 'none', clock: systemClock });
    const account = store.account('devstoreaccount1');
    await store.close();
    const { get, faults, lines } = onStore({ find: () => account, check: () => undefined });
    for (const room of ['health', 'ready']) {
      const { status, text } = await get(room);
      expect(status).toBe(503);
      expect(JSON.parse(text)).toEqual({
        error: { code: 'StoreFailed', message: 'The data cannot be read; the log of the emulator says why.' },
      });
    }
    expect(faults.map(String)).toEqual([expect.stringMatching(/database/), expect.stringMatching(/database/)]);
    expect(lines).toEqual(['GET /_emulator/health 503', 'GET /_emulator/ready 503']);
  });

  it.runIf(process.platform !== 'win32')(
    'answers 503 once its folder was deleted, or replaced by another',
    async () => {
      const location = join(folder.path, 'gone');
      const store = openSqliteStore({ location, durability: 'none', clock: systemClock });
      await store.account('devstoreaccount1').createTable(tableNamed('Pets'));
      const { get, faults } = onStore(store);
      expect((await get('health')).status).toBe(200);
      rmSync(location, { recursive: true });
      expect((await get('health')).status).toBe(503);
      const other = openSqliteStore({ location, durability: 'none', clock: systemClock });
      expect((await get('ready')).status).toBe(503);
      expect(faults.map(String)).toEqual([
        expect.stringContaining('was deleted'),
        expect.stringContaining('was deleted'),
      ]);
      await Promise.all([store.close(), other.close()]);
    },
  );

  it('answers 503 while the emulator closes, though it is healthy still, and blames nobody', async () => {
    const store = openSqliteStore({ durability: 'none', clock: systemClock });
    const { get, faults } = onStore(store, true);
    const { status, text } = await get('ready');
    expect([status, text]).toEqual([503, expect.stringContaining('"Closing"')]);
    expect((await get('health')).status).toBe(200);
    expect(faults).toEqual([]);
    await store.close();
  });
});
