// What a client sees while the store cannot be reached.

import { afterAll, describe, expect, it } from 'vitest';
import { createServer } from '../../../src/http/server.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/sqlite-store.ts';
import type { AccountStore, Store } from '../../../src/storage/store.ts';
import { StoreUnavailable } from '../../../src/storage/store-unavailable.ts';
import { tableNamed } from '../../support/entities.ts';
import { storeTimes } from '../../support/manual-time.ts';
import { tableService } from '../../support/table-service.ts';

const store = await openSqliteStore({ durability: 'none', ...storeTimes() });
const account = store.account('acct');
await account.createTable(tableNamed('Pets'));

const away = async (): Promise<never> => {
  throw new StoreUnavailable('unreachable', 'The database cannot be used: connect ECONNREFUSED.');
};

const internalErrors: unknown[] = [];

async function serverOver(accountStore: AccountStore): Promise<string> {
  const partly: Store = Object.create(store, {
    account: { value: () => accountStore },
    exists: { value: async () => true },
    onChange: { value: () => undefined },
  });
  const service = await tableService({ store: partly, onInternalError: (error) => void internalErrors.push(error) });
  const app = createServer({ service, onAnswered: () => undefined, keepAliveTimeoutMs: 1000 });
  afterAll(() => app.close());
  const { port } = await app.listen({ host: '127.0.0.1', port: 0 });
  return `http://127.0.0.1:${port}/acct/Pets`;
}

const insert = {
  method: 'POST',
  body: '{"PartitionKey":"p","RowKey":"r"}',
  headers: { 'content-type': 'application/json' },
};

describe('A store that is away', () => {
  afterAll(() => store.close());

  it('results in 503 ServerBusy, which is not a failure of the emulator', async () => {
    const url = await serverOver(Object.create(account, { apply: { value: away }, scan: { value: away } }));
    for (const request of [insert, { headers: { accept: 'application/json' } }]) {
      const answer = await fetch(url, request);
      expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('ServerBusy')]);
    }
    expect(internalErrors).toEqual([]);
  });

  it('does not refuse a write that was carried out if only the CORS rules cannot be read', async () => {
    const url = await serverOver(
      Object.create(account, { apply: { value: account.apply.bind(account) }, getServiceProperties: { value: away } }),
    );
    expect((await fetch(url, insert)).status).toBe(201);
  });
});
