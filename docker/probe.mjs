// Writes entities to a running emulator with the SDK, or reads all of them again:
//   node docker/probe.mjs write|read http://127.0.0.1:10002
import { deepStrictEqual } from 'node:assert';
import { odata, TableClient } from '@azure/data-tables';

const account = 'devstoreaccount1';
const key = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';
const partitionKey = 'box';
const ring = { partitionKey, rowKey: 'ring', stone: 'tanzanite', carats: 3 };
const brooch = { partitionKey, rowKey: 'brooch', stone: 'opal', carats: 1 };

const [task, origin] = process.argv.slice(2);
const client = TableClient.fromConnectionString(
  `DefaultEndpointsProtocol=http;AccountName=${account};AccountKey=${key};TableEndpoint=${origin}/${account};`,
  'keepsakes',
  { allowInsecureConnection: true },
);

async function write() {
  await client.createTable();
  await client.createEntity(ring);
  await client.submitTransaction([
    ['create', brooch],
    ['update', { ...ring, carats: 4 }, 'Merge'],
  ]);
}

async function read() {
  const found = [];
  const filter = odata`PartitionKey eq ${partitionKey} and carats gt 0`;
  for await (const { rowKey, stone, carats } of client.listEntities({ queryOptions: { filter } })) {
    found.push([rowKey, stone, carats]);
  }
  deepStrictEqual(found, [
    ['brooch', 'opal', 1],
    ['ring', 'tanzanite', 4],
  ]);
}

if (task !== 'write' && task !== 'read') throw new Error('say write or read');
if (task === 'write') await write();
await read();
