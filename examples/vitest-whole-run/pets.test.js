import { TableClient } from '@azure/data-tables';
import { freshAccount } from 'tanzanite';
import { expect, test } from 'vitest';

test('a pet is kept by the emulator of the whole run', async () => {
  const { connectionString } = freshAccount(process.env.TANZANITE_CONNECTION_STRING);
  const pets = TableClient.fromConnectionString(connectionString, 'pets', { allowInsecureConnection: true });
  await pets.createTable();
  await pets.createEntity({ partitionKey: 'dog', rowKey: 'rex', age: 3 });
  expect(await pets.getEntity('dog', 'rex')).toMatchObject({ age: 3 });
});
