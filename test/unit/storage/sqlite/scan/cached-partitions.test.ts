// Tests what scans of single partitions leave in the column cache, and how much a scan of the entire table must still
// read from SQLite.

import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { planQuery } from '../../../../../src/query/plan.ts';
import { createFilterReader } from '../../../../../src/query/read-filter.ts';
import { migrations } from '../../../../../src/storage/sqlite/file/schema.ts';
import { prepareStatements } from '../../../../../src/storage/sqlite/file/statements.ts';
import { ColumnCache, TableBlocks } from '../../../../../src/storage/sqlite/scan/column-cache.ts';
import { Scan } from '../../../../../src/storage/sqlite/scan/scan.ts';
import { TableRows } from '../../../../../src/storage/sqlite/scan/table-rows.ts';
import { ManualTime } from '../../../../support/manual-time.ts';

const tableId = 1;
const filters = createFilterReader();

/**
 * Makes a table of three partitions, and returns a function that scans the table. The function returns how often the
 * scan read from SQLite, and how many entities it visited.
 */
function threePartitions(rowsEach: number): (filter: string) => { reads: number; visited: number } {
  const database = new Database(':memory:');
  for (const migration of migrations) database.exec(migration);
  const statements = prepareStatements(database);
  for (const partition of ['a', 'b', 'c']) {
    for (let at = 0; at < rowsEach; at++) {
      statements.insertEntity.run(
        tableId,
        partition,
        String(at).padStart(4, '0'),
        638_501_400_010_000_000n,
        `"n":${at}`,
      );
    }
  }
  let reads = 0;
  const rows = new TableRows(() => {
    reads++;
    return statements;
  });
  const blocks = new TableBlocks(new ColumnCache());
  return (filter) => {
    reads = 0;
    const { range, residual } = planQuery(filters.readFilter(filter));
    const request = { range, filter: residual, limit: 1000, bytesMax: 1_000_000, timeMsMax: 5_000 };
    const scan = new Scan(request, { tableId, rows, blocks, machineTime: new ManualTime() });
    const page = scan.advance(Number.POSITIVE_INFINITY);
    return { reads, visited: page?.visited ?? Number.NaN };
  };
}

const ofPartition = (key: string): string => `PartitionKey eq '${key}' and n eq -1`;

test.each([20, 100, 1500])('after scans of partitions of %d rows a table is read at most once more', (rowsEach) => {
  const scan = threePartitions(rowsEach);
  for (const key of ['b', 'a', 'c', 'b', 'a', 'c']) {
    expect(scan(ofPartition(key)).visited).toBe(rowsEach);
  }
  expect(scan('n eq -1').visited).toBe(3 * rowsEach);
  scan('n eq -1');
  const { reads, visited } = scan('n eq -1');
  expect(visited).toBe(3 * rowsEach);
  // If only the first rows of a table are missing, reading them costs less than caching them.
  expect(reads).toBeLessThanOrEqual(rowsEach < 64 ? 2 : 1);
});

test('a partition that was scanned twice is not read again', () => {
  const scan = threePartitions(100);
  scan(ofPartition('b'));
  scan(ofPartition('b'));
  expect(scan(ofPartition('b'))).toEqual({ reads: 0, visited: 100 });
});
