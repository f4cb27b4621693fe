// The programs of the demo. Some programs follow Microsoft's guides. Other programs cause the problems that the console
// can show: a hot partition, keys that only grow, scans, lost updates, refused requests.
import { randomBytes } from 'node:crypto';
import { cities, clientFor, customers, numbers, products } from './shop.mjs';

const pick = numbers(11);
const oneOf = (list) => list[pick(list.length)];
const keysOf = ({ partitionKey, rowKey }) => [partitionKey, rowKey];

/** Some requests of the demo are meant to be refused. */
const ignore = () => undefined;

/** Starts the programs. Returns a function that stops them, and resolves when the last requests are answered. */
export function startTraffic(connectionString, pace) {
  const client = clientFor(connectionString);
  const running = new Set();
  const timers = programs(client).map(({ everyMs, run }) =>
    setInterval(() => {
      const done = run().catch(ignore);
      running.add(done);
      done.finally(() => running.delete(done));
    }, everyMs / pace),
  );
  return async () => {
    timers.forEach(clearInterval);
    await Promise.all(running);
  };
}

function programs(client) {
  const [Customers, Products, Orders, Events, Counters, Sessions] = [
    'Customers',
    'Products',
    'Orders',
    'Events',
    'Counters',
    'Sessions',
  ].map(client);
  let order = 0;
  return [
    { everyMs: 60, run: () => Customers.getEntity(...keysOf(oneOf(customers))) },
    { everyMs: 90, run: () => Products.getEntity(...keysOf(oneOf(products))) },
    // Append-only keys: each new partition comes after all earlier ones.
    {
      everyMs: 70,
      run: () =>
        Events.createEntity({
          partitionKey: new Date().toISOString().slice(0, 19),
          rowKey: `${Date.now()}-${pick(1e9)}`,
          Kind: oneOf(['viewed', 'searched', 'bought']),
          Payload: 'x'.repeat(900 + pick(1_500)),
        }),
    },
    // A hot entity: every visitor increments the same counter.
    {
      everyMs: 15,
      run: () => Counters.upsertEntity({ partitionKey: 'shop', rowKey: 'visitors', Count: pick(1e6) }, 'Replace'),
    },
    {
      everyMs: 220,
      run: async () => {
        order += 1;
        const id = String(order).padStart(7, '0');
        const partitionKey = `order-${pick(1_000)}`;
        const lines = Array.from({ length: 1 + pick(5) }, (_, at) => [
          'create',
          {
            partitionKey,
            rowKey: `${id}-${at}`,
            Product: oneOf(products).Title,
            Quantity: 1 + pick(3),
          },
        ]);
        await Orders.submitTransaction(lines);
      },
    },
    {
      everyMs: 150,
      run: () =>
        Sessions.upsertEntity({
          partitionKey: `s${pick(256)}`,
          rowKey: 'session',
          LastSeen: new Date(),
          Pages: pick(40),
        }),
    },
    { everyMs: 1_500, run: () => readPage(Customers, `PartitionKey eq '${oneOf(cities)}' and IsMember eq true`) },
    // A scan of the whole table for one customer.
    { everyMs: 6_000, run: () => readPage(Customers, `Email eq '${oneOf(customers).Email}'`) },
    { everyMs: 4_000, run: () => readPage(Products, 'Stock lt 20') },
    { everyMs: 1_800, run: () => Customers.getEntity(oneOf(cities), 'c99999') },
    { everyMs: 3_500, run: () => Customers.createEntity({ ...oneOf(customers) }) },
    // Two clerks change the same product, so the second one sends an old ETag.
    {
      everyMs: 2_900,
      run: async () => {
        const product = await Products.getEntity(...keysOf(oneOf(products)));
        const change = { partitionKey: product.partitionKey, rowKey: product.rowKey, Stock: pick(400) };
        await Products.updateEntity(change, 'Merge');
        await Products.updateEntity(change, 'Merge', { etag: product.etag });
      },
    },
    { everyMs: 5_000, run: () => readPage(Products, 'Price lt cheap') },
    // A traced page of the shop: one request for a list, then one request for each customer in it.
    {
      everyMs: 4_500,
      run: async () => {
        const traced = { requestOptions: { customHeaders: { traceparent: newTraceparent() } } };
        const filter = `PartitionKey eq '${oneOf(cities)}' and RowKey lt 'c00120'`;
        const page = await readPage(Customers, filter, traced);
        for (const customer of page) await Customers.getEntity(...keysOf(customer), traced);
      },
    },
  ];
}

async function readPage(client, filter, options = {}) {
  const pages = client.listEntities({ queryOptions: { filter }, ...options }).byPage({ maxPageSize: 100 });
  const { value } = await pages.next();
  return value ?? [];
}

/** A traceparent header (W3C Trace Context) that begins a new trace. */
function newTraceparent() {
  return `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;
}
