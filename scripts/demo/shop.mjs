// The data of the demo: the tables of a shop. They are the same in each run.
import { TableClient, TableServiceClient } from '@azure/data-tables';

export const cities = ['Amsterdam', 'Berlin', 'Dar es Salaam', 'London', 'Osaka', 'Paris', 'Quito', 'Tallinn'];
const firstNames = ['Ada', 'Amina', 'Chidi', 'Elif', 'Grace', 'Hana', 'Ivo', 'Juma', 'Lena', 'Mateo', 'Noor', 'Rosa'];
const lastNames = ['Abara', 'Byron', 'Hopper', 'Kimaro', 'Lovelace', 'Mwangi', 'Okada', 'Silva', 'Tamm', 'Visser'];
const kinds = ['cup', 'lamp', 'map', 'notebook', 'pen', 'ring', 'scarf', 'stool'];

/** Numbers that look random and are the same in each run. */
export function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

const pick = numbers(7);
const oneOf = (list) => list[pick(list.length)];

export const customers = Array.from({ length: 1_200 }, (_, at) => {
  const name = `${oneOf(firstNames)} ${oneOf(lastNames)}`;
  return {
    partitionKey: oneOf(cities),
    rowKey: `c${String(at).padStart(5, '0')}`,
    Name: name,
    Email: `${name.toLowerCase().replaceAll(' ', '.')}${at}@example.com`,
    Points: { type: 'Int64', value: String(pick(100_000) * 1_000) },
    Since: new Date(Date.UTC(2015 + pick(11), pick(12), 1 + pick(28))),
    IsMember: pick(3) > 0,
    ...(pick(4) === 0 ? { Note: 'Prefers delivery in the evening.' } : {}),
  };
});

export const products = kinds.flatMap((kind) =>
  Array.from({ length: 25 }, (_, at) => ({
    partitionKey: kind,
    rowKey: String(at + 1).padStart(4, '0'),
    Title: `${oneOf(['Blue', 'Grey', 'Green', 'Violet'])} ${kind}`,
    Price: { type: 'Double', value: 4 + pick(9_000) / 100 },
    Stock: pick(400),
    Picture: new Uint8Array([pick(256), pick(256), pick(256), pick(256)]),
    Code: {
      type: 'Guid',
      value: `6f9619ff-8b86-d011-b42d-${(pick(2_000_000_000) + 1).toString(16).padStart(12, '0')}`,
    },
  })),
);

/**
 * The console shows the User-Agent of a request. This policy keeps the client and its version in the User-Agent, and
 * removes the description of the machine that runs the demo.
 */
const namesNoMachine = {
  name: 'namesNoMachine',
  async sendRequest(request, next) {
    request.headers.set('User-Agent', request.headers.get('User-Agent')?.replace(/ \(.*\)/, '') ?? 'shop');
    return next(request);
  },
};
const options = {
  allowInsecureConnection: true,
  additionalPolicies: [{ policy: namesNoMachine, position: 'perRetry' }],
};

export const clientFor = (connectionString) => (table) =>
  TableClient.fromConnectionString(connectionString, table, options);

export async function createShop(connectionString) {
  const service = TableServiceClient.fromConnectionString(connectionString, options);
  for (const table of ['Customers', 'Products', 'Orders', 'Events', 'Counters', 'Sessions']) {
    await service.createTable(table);
  }
  const client = clientFor(connectionString);
  await insertAll(client('Customers'), customers);
  await insertAll(client('Products'), products);
  await client('Counters').createEntity({ partitionKey: 'shop', rowKey: 'visitors', Count: 0 });
  await client('Products').setAccessPolicy([
    {
      id: 'reading-partners',
      accessPolicy: { start: new Date(Date.UTC(2026, 0, 1)), expiry: new Date(Date.UTC(2030, 0, 1)), permission: 'r' },
    },
  ]);
}

/** Inserts in transactions of one partition, with up to a hundred entities each. */
async function insertAll(client, entities) {
  const partitions = new Map();
  for (const entity of entities) {
    partitions.set(entity.partitionKey, [...(partitions.get(entity.partitionKey) ?? []), entity]);
  }
  for (const partition of partitions.values()) {
    for (let at = 0; at < partition.length; at += 100) {
      await client.submitTransaction(partition.slice(at, at + 100).map((entity) => ['create', entity]));
    }
  }
}
