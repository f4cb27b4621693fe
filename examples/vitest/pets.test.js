import { TableClient } from '@azure/data-tables';
import { useEmulator } from 'tanzanite/vitest';
import { beforeEach, expect, test } from 'vitest';

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
  expect(await pets.getEntity('dog', 'rex')).toMatchObject({ age: 3 });
});

test('the pets of other tests are not there', async () => {
  await expect(pets.getEntity('dog', 'rex')).rejects.toMatchObject({ statusCode: 404 });
});
