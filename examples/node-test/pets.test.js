import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { TableClient } from '@azure/data-tables';
import { useEmulator } from 'tanzanite/node-test';

// The emulator starts before the tests of this file and stops after them.
const emulator = useEmulator();

let pets;
beforeEach(async () => {
  // Every test has its own account.
  const { connectionString } = emulator.account();
  pets = TableClient.fromConnectionString(connectionString, 'pets', { allowInsecureConnection: true });
  await pets.createTable();
});

test('a pet is kept', async () => {
  await pets.createEntity({ partitionKey: 'dog', rowKey: 'rex', age: 3 });
  assert.equal((await pets.getEntity('dog', 'rex')).age, 3);
});

test('the pets of other tests are not there', async () => {
  await assert.rejects(pets.getEntity('dog', 'rex'), { statusCode: 404 });
});
