// Stores orders of many customers at a steady pace. The table follows Microsoft's guides to table design, so the
// advisor must find nothing, however long this script runs. If the advisor has a finding, the script exits with 1. Run
// it by hand, after a build:
//   npm run build && node test/sdk/advisor/paced-load.mjs [--minutes 10] [--rate 100]

import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { TableClient } from '@azure/data-tables';
import { startEmulator } from '../../../dist/index.js';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, rate: { type: 'string', default: '100' } },
});
const untilMs = Date.now() + Number(values.minutes) * 60_000;
const workers = 8;
const customers = 400;
const newestMs = Date.UTC(2100, 0, 1);

const emulator = await startEmulator();
const client = () =>
  TableClient.fromConnectionString(emulator.connectionString, 'Orders', { allowInsecureConnection: true });
await client().createTable();
let requests = 1;
await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));

const { findings, checklist } = await emulator.advisor.report();
const count = (status) => checklist.filter((row) => row.status === status).length;
console.log(`${requests.toLocaleString('en-US')} requests in ${values.minutes} minutes, ${findings.length} findings`);
console.log(`checklist: ${count('kept')} kept, ${count('broken')} broken, ${count('notObserved')} not observed`);
for (const finding of findings) console.log(JSON.stringify(finding, undefined, 2));
await emulator.close();
process.exitCode = findings.length === 0 ? 0 : 1;

// Each worker has its own customers, so that no two workers write to the same customer.
async function work(worker) {
  const orders = client();
  const open = [];
  const pauseMs = (1_000 * workers) / Number(values.rate);
  while (Date.now() < untilMs) {
    const customer = `customer-${String(worker + workers * pick(customers / workers)).padStart(5, '0')}`;
    const dice = Math.random();
    if (open.length < 20 || dice < 0.25) open.push(await place(orders, customer));
    else if (dice < 0.65) await read(orders, open[pick(open.length)]);
    else if (dice < 0.85) await listNewest(orders, customer);
    else await ship(orders, ...open.splice(pick(open.length), 1));
    await sleep(pauseMs * (0.5 + Math.random()));
  }
}

// Stores an order and its lines in one transaction, in the customer's partition. The newest order sorts first.
async function place(orders, partitionKey) {
  const number = `${newestMs - Date.now()}-${String(requests++).padStart(8, '0')}`;
  const line = (at) => ({
    partitionKey,
    rowKey: `line-${number}-${at}`,
    product: `p${pick(50)}`,
    amount: 1 + pick(3),
    price: 9.5,
  });
  const order = {
    partitionKey,
    rowKey: `order-${number}`,
    state: 'open',
    total: 19,
    address: 'Main Street 1',
    lines: 10,
  };
  const lines = Array.from({ length: 10 }, (_, at) => line(at));
  const { getResponseForEntity } = await orders.submitTransaction(
    [order, ...lines].map((entity) => ['create', entity]),
  );
  return { partitionKey, rowKey: order.rowKey, etag: getResponseForEntity(order.rowKey)?.etag };
}

async function read(orders, { partitionKey, rowKey }) {
  requests++;
  await orders.getEntity(partitionKey, rowKey, { queryOptions: { select: ['state', 'total'] } });
}

async function listNewest(orders, partitionKey) {
  requests++;
  const filter = `PartitionKey eq '${partitionKey}' and RowKey ge 'order-' and RowKey lt 'order.'`;
  const pages = orders.listEntities({ queryOptions: { filter, select: ['rowKey', 'state', 'total'] } });
  await pages.byPage({ maxPageSize: 20 }).next();
}

// Uses the ETag that placing the order returned, so that no update is lost and nothing is read again.
async function ship(orders, { partitionKey, rowKey, etag }) {
  requests++;
  await orders.updateEntity({ partitionKey, rowKey, state: 'shipped' }, 'Merge', { etag });
}

function pick(limit) {
  return Math.floor(Math.random() * limit);
}
