import { TableClient } from '@azure/data-tables';
import { useEmulator } from 'tanzanite/vitest';
import { beforeEach, expect, test } from 'vitest';

// Starts before the tests of this file and closes after them.
const emulator = useEmulator();

let pets;
beforeEach(async () => {
  // Every test has an account of its own.
  const { connectionString } = emulator.account();
  pets = TableClient.fromConnectionString(connectionString, 'pets', { allowInsecureConnection: true });
  await pets.createTable();
});

test('a pet is kept', async () => {
  await pets.createEntity({ partitionKey: 'dog', rowKey: 'rex', age: 3 });
  expect(await pets.getEntity('dog', 'rex')).toMatchObject({ age: 3 });
});

test('no pet of another test is there', async () => {
  await expect(pets.getEntity('dog', 'rex')).rejects.toMatchObject({ statusCode: 404 });
});
