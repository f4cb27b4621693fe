// An account to which a clock after the year 9999 has written, in a version that did not prevent this.

import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteAccountStore } from '../../../../../src/storage/sqlite/account/sqlite-account-store.ts';
import { openAccountFile } from '../../../../../src/storage/sqlite/file/account-file.ts';
import {
  contentsOf,
  insertion,
  keyOf,
  tableNamed,
  texts,
  ticksOf,
  unchangedSince,
  write,
} from '../../../../support/entities.ts';
import { storeTimes } from '../../../../support/manual-time.ts';

const beyond = 4_000_000_000_000_000_000n;

describe('an account with moments after the last possible date', () => {
  let database: Database;
  let account: SqliteAccountStore;

  beforeEach(async () => {
    database = openAccountFile(undefined, 'none');
    const before = new SqliteAccountStore(database, storeTimes());
    await before.createTable(tableNamed('Pets'));
    for (const rowKey of ['a', 'b']) await write(before, 'Pets', insertion(keyOf('p', rowKey)));
    await before.saveSnapshot({ name: 'late' });
    await before.drained();
    database.exec(`
      UPDATE account SET last_ticks = ${beyond};
      UPDATE tables SET created_ticks = ${beyond};
      UPDATE entities SET ticks = ${beyond} + id;
      UPDATE snapshots SET saved_ticks = ${beyond};
    `);
    account = new SqliteAccountStore(database, storeTimes());
  });
  afterEach(() => account.close());

  it('is read with the last possible second', async () => {
    const last = /^9999-12-31T23:59:59(\.\d+)?Z$/;
    for (const { timestamp } of await contentsOf(account, 'Pets')) expect(timestamp).toMatch(last);
    const { tables } = await account.listTables({ limit: 5 });
    expect(tables.map(({ createdAt }) => createdAt)).toEqual([expect.stringMatching(last)]);
    expect(await account.get('Pets', keyOf('p', 'a'))).toMatchObject({
      entity: { timestamp: expect.stringMatching(last) },
    });
    expect(await account.listSnapshots()).toMatchObject([{ savedAt: expect.stringMatching(last) }]);
  });

  it('is written with timestamps from the clock, even if the write requires that the entity is unchanged', async () => {
    await account.deleteSnapshot('late');
    const [found] = await contentsOf(account, 'Pets');
    const replacement = {
      kind: 'replace',
      ...keyOf('p', 'a'),
      properties: texts({}),
      ifMatch: unchangedSince(found?.timestamp ?? ''),
    } as const;
    const first = await write(account, 'Pets', replacement);
    const second = await write(account, 'Pets', insertion(keyOf('p', 'c')));
    expect([first, second]).toEqual([expect.stringMatching(/^2024-/), expect.stringMatching(/^2024-/)]);
    expect(ticksOf(second)).toBeGreaterThan(ticksOf(first));
    expect(await account.apply('Pets', [replacement])).toMatchObject({ kind: 'stale' });
  });
});
