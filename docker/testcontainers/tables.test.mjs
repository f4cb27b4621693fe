// Testcontainers for Node: npm install --save-dev testcontainers @azure/data-tables, then node --test tables.test.mjs
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TableClient } from '@azure/data-tables';
import { GenericContainer, Wait } from 'testcontainers';

const image = 'tanzanite/tanzanite';
const port = 10002;
const account = 'devstoreaccount1';
const key = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

let container;
let connectionString;

before(async () => {
  container = await new GenericContainer(image)
    .withCommand(['--inMemoryPersistence', '--silent'])
    .withExposedPorts(port)
    .withWaitStrategy(Wait.forHttp('/_emulator/ready', port))
    .start();
  const endpoint = `http://${container.getHost()}:${container.getMappedPort(port)}/${account}`;
  connectionString = `DefaultEndpointsProtocol=http;AccountName=${account};AccountKey=${key};TableEndpoint=${endpoint};`;
});

after(() => container?.stop());

test('an entity that was inserted can be read', async () => {
  const pets = TableClient.fromConnectionString(connectionString, 'pets', { allowInsecureConnection: true });
  await pets.createTable();
  await pets.createEntity({ partitionKey: 'dog', rowKey: 'rex', age: 3 });
  assert.equal((await pets.getEntity('dog', 'rex')).age, 3);
});
