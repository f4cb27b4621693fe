import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TableClient } from '@azure/data-tables';
import { TanzaniteContainer } from './tanzanite-container.js';

let container;
before(async () => {
  container = await new TanzaniteContainer().start();
});
after(() => container?.stop());

test('an entity that was inserted can be read', async () => {
  const options = { allowInsecureConnection: true };
  const pets = TableClient.fromConnectionString(container.connectionString(), 'pets', options);
  await pets.createTable();
  await pets.createEntity({ partitionKey: 'dog', rowKey: 'rex', age: 3 });
  assert.equal((await pets.getEntity('dog', 'rex')).age, 3);
});
