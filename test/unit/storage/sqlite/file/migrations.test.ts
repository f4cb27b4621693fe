import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { applicationId, migrations, schemaVersion } from '../../../../../src/storage/sqlite/file/schema.ts';
import { openSqliteStore } from '../../../../../src/storage/sqlite/sqlite-store.ts';
import { contentsOf, insertion, keyOf, tableNamed, write } from '../../../../support/entities.ts';
import { storeTimes } from '../../../../support/manual-time.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

it.each([1, 2])('a file of version %i is migrated to the current version with all its data', async (version) => {
  const folder = temporaryFolder();
  const file = join(folder.path, 'devstoreaccount1.sqlite');
  const old = new Database(file);
  for (const migration of migrations.slice(0, version)) old.exec(migration);
  old.exec("INSERT INTO tables (name, lookup, created_ticks) VALUES ('Pets', 'pets', 5)");
  old.exec(`INSERT INTO entities (table_id, partition_key, row_key, ticks, properties)
    VALUES (1, 'dog', 'rex', 638000000000000000, '"Age":3')`);
  old.pragma(`application_id = ${applicationId}`);
  old.pragma(`user_version = ${version}`);
  old.close();

  const store = await openSqliteStore({ location: folder.path, durability: 'process', ...storeTimes() });
  const account = store.account('devstoreaccount1');
  expect(await contentsOf(account, 'Pets')).toMatchObject([{ partitionKey: 'dog', properties: '"Age":3' }]);
  expect(await account.setTableAcl({ table: 'Pets', acl: '[]' })).toEqual({ kind: 'set' });
  await account.createTable(tableNamed('Plants'));
  await write(account, 'Plants', insertion(keyOf('a', 'b')));
  await account.saveSnapshot({ name: 'base' });
  await write(account, 'Pets', insertion(keyOf('dog', 'tim')));
  await account.restoreSnapshot({ name: 'base' });
  expect(await contentsOf(account, 'Pets')).toMatchObject([{ rowKey: 'rex', properties: '"Age":3' }]);
  await store.close();

  const reopened = new Database(file, { readonly: true });
  expect(reopened.pragma('user_version', { simple: true })).toBe(schemaVersion);
  reopened.close();
  folder.remove();
});
