// What happens to a request when its client disconnects.

import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { createServer } from '../../../src/http/server.ts';
import type { RequestRecord } from '../../../src/model/request-record.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/sqlite-store.ts';
import type { AccountStore, Store } from '../../../src/storage/store.ts';
import { storeTimes } from '../../support/manual-time.ts';
import { tableService } from '../../support/table-service.ts';

const store = await openSqliteStore({ durability: 'none', ...storeTimes() });
const account = store.account('acct');
const looks: boolean[] = [];
/** A scan that ends when its request is abandoned. */
const scan: AccountStore['scan'] = async ({ isAbandoned = () => false }) => {
  do {
    looks.push(isAbandoned());
    await setImmediate();
  } while (!isAbandoned());
  return { kind: 'page', entities: [], visited: looks.length, end: 'time' };
};
const accountStore: AccountStore = Object.create(account, { scan: { value: scan } });
const slow: Store = {
  account: () => accountStore,
  exists: async () => false,
  hearsChanges: true,
  openExisting: async () => undefined,
  check: async () => ({ damaged: [], isFull: false }),
  names: async () => [],
  onChange: () => undefined,
  close: async () => undefined,
};

const answered: RequestRecord[] = [];
const internalErrors: unknown[] = [];
const service = await tableService({ store: slow, onInternalError: (error) => void internalErrors.push(error) });
const app = createServer({ service, onAnswered: (record) => void answered.push(record), keepAliveTimeoutMs: 1000 });
const { port } = await app.listen({ host: '127.0.0.1', port: 0 });
afterAll(async () => {
  await app.close();
  await store.close();
});

describe('A query whose client disconnects', () => {
  it('is cancelled while it runs, and logged as a request that the client closed', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /acct/pets()?$filter=n%20eq%201 HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\n\r\n');
    await expect.poll(() => looks.length).toBeGreaterThan(3);
    expect(looks.every((isAbandoned) => !isAbandoned)).toBe(true);
    socket.destroy();
    await once(socket, 'close');
    await expect.poll(() => answered.length).toBe(1);
    expect(answered[0]).toMatchObject({ operation: 'QueryEntities', table: 'pets', status: 499, refusal: undefined });
    expect([internalErrors, service.inFlight.requests]).toEqual([[], 0]);
  });
});
