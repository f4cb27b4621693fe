import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TableClient } from '@azure/data-tables';
import { restoreBeforeEach, useEmulator } from 'tanzanite/node-test';

const emulator = useEmulator();
const pets = () =>
  TableClient.fromConnectionString(emulator.connectionString, 'pets', { allowInsecureConnection: true });

// Runs once. Each test of this file begins with the tables that this function leaves.
restoreBeforeEach(emulator, 'base', async () => {
  await pets().createTable();
  await pets().createEntity({ partitionKey: 'dog', rowKey: 'rex', age: 3 });
});

test('a pet is deleted', async () => {
  await pets().deleteEntity('dog', 'rex');
  await assert.rejects(pets().getEntity('dog', 'rex'), { statusCode: 404 });
});

test('the next test finds the pet again', async () => {
  assert.equal((await pets().getEntity('dog', 'rex')).age, 3);
});
