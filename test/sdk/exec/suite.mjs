// A test suite for Node's test runner. The variable SUITE chooses what it does: pass, fail, findings or hang.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TableClient } from '@azure/data-tables';

const { SUITE: mode, MY_TABLES: connectionString = '' } = process.env;
const table = TableClient.fromConnectionString(connectionString, 'Suites', { allowInsecureConnection: true });

test('an entity is read as it was written', async () => {
  await table.createTable();
  await table.createEntity({ partitionKey: 'a', rowKey: '1', age: 3 });
  const { age } = await table.getEntity('a', '1');
  assert.equal(age, mode === 'fail' ? 4 : 3);
  if (mode === 'findings') {
    const filter = "RowKey eq '1' or RowKey eq '2'";
    for await (const { rowKey } of table.listEntities({ queryOptions: { filter } })) assert.equal(rowKey, '1');
  }
  if (mode === 'hang') {
    console.log('hanging');
    await new Promise((resolve) => setTimeout(resolve, 600_000));
  }
});
