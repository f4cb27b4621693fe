// Lists entities with @azure/data-tables: pages, their order and their last page.
import { randomBytes } from 'node:crypto';
import { TableClient } from '@azure/data-tables';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type RunningServer, startServer } from '../../support/start-server.ts';
import { scenario } from './scenario.ts';

const entityCount = 10_000;
const insertsAtOnce = 32;
const partitions = ['', '10', '9', 'A', 'B', '_', 'a', 'b', 'Ä', '漢'];
const run = randomBytes(4).toString('hex');
let server: RunningServer;

beforeAll(async () => {
  server = await startServer();
}, 240_000);

afterAll(() => server?.stop());

function clientOf(name: string): TableClient {
  const options = { allowInsecureConnection: true };
  return TableClient.fromConnectionString(server.connectionString, name, options);
}

// Returns the keys of entity n. The stride scatters the order of inserts. The row keys are numbers without leading
// zeros, so their order as texts differs from their order as numbers.
function keysOf(n: number): { partitionKey: string; rowKey: string } {
  const scattered = (n * 7919) % entityCount;
  return { partitionKey: partitions[scattered % partitions.length] ?? '', rowKey: String(scattered) };
}

async function insertAll(table: TableClient): Promise<void> {
  let next = 0;
  const insertInTurn = async () => {
    while (next < entityCount) {
      const n = next++;
      await table.createEntity({ ...keysOf(n), n, text: `entity ${n}` });
    }
  };
  await Promise.all(Array.from({ length: insertsAtOnce }, insertInTurn));
}

interface Key {
  readonly partitionKey?: string;
  readonly rowKey?: string;
}

function isBefore(left: Key, right: Key): boolean {
  const [partition = '', nextPartition = ''] = [left.partitionKey, right.partitionKey];
  return partition < nextPartition || (partition === nextPartition && (left.rowKey ?? '') < (right.rowKey ?? ''));
}

describe(`@azure/data-tables: ${entityCount} entities in pages`, () => {
  const pages: { partitionKey: string; rowKey: string; n: unknown }[][] = [];

  beforeAll(async () => {
    const table = clientOf(`jsMany${run}`);
    await table.createTable();
    await insertAll(table);
    for await (const page of table.listEntities().byPage({ maxPageSize: 1000 })) {
      pages.push(page.map(({ partitionKey = '', rowKey = '', n }) => ({ partitionKey, rowKey, n })));
    }
    await table.deleteTable();
  }, 120_000);

  scenario('page-size', () => {
    expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(1000);
  });

  scenario('page-complete', () => {
    const numbers = pages.flat().map(({ n }) => Number(n));
    expect(numbers.length).toBe(entityCount);
    expect(new Set(numbers).size).toBe(entityCount);
    expect(pages.flat().filter(({ n, ...key }) => !isSame(key, keysOf(Number(n))))).toEqual([]);
  });

  scenario('page-order', () => {
    const listed = pages.flat();
    const disordered = listed.filter((entity, index) => index > 0 && !isBefore(listed[index - 1] ?? {}, entity));
    expect(disordered).toEqual([]);
  });
});

function isSame(left: Key, right: Key): boolean {
  return left.partitionKey === right.partitionKey && left.rowKey === right.rowKey;
}

describe('@azure/data-tables: the ends of pages', () => {
  async function pageLengths(keys: readonly Key[], maxPageSize?: number): Promise<readonly number[]> {
    const table = clientOf(`jsEnds${randomBytes(6).toString('hex')}`);
    await table.createTable();
    for (const { partitionKey = '', rowKey = '' } of keys) {
      await table.createEntity({ partitionKey, rowKey });
    }
    const lengths: number[] = [];
    for await (const page of table.listEntities().byPage(maxPageSize === undefined ? {} : { maxPageSize })) {
      lengths.push(page.length);
    }
    await table.deleteTable();
    return lengths;
  }

  scenario('page-empty', async () => {
    expect(await pageLengths([])).toEqual([0]);
  });

  scenario('page-next-empty', async () => {
    const keys = [{}, { rowKey: 'a' }, { rowKey: 'b' }, { partitionKey: 'p' }, { partitionKey: 'p', rowKey: 'a' }];
    expect(await pageLengths(keys, 1)).toEqual([1, 1, 1, 1, 1]);
  });

  scenario('page-full', async () => {
    expect(await pageLengths([{}, { rowKey: 'a' }, { rowKey: 'b' }, { rowKey: 'c' }], 2)).toEqual([2, 2]);
  });
});
