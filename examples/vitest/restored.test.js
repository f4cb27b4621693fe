import { TableClient } from '@azure/data-tables';
import { restoreBeforeEach, useEmulator } from 'tanzanite/vitest';
import { expect, test } from 'vitest';

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
  await expect(pets().getEntity('dog', 'rex')).rejects.toMatchObject({ statusCode: 404 });
});

test('the next test finds the pet again', async () => {
  expect(await pets().getEntity('dog', 'rex')).toMatchObject({ age: 3 });
});
