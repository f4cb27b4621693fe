// Reads of a secondary that is behind: they see older data.

import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { startEmulator } from '../../../src/index.ts';
import { entityPath, serviceAt } from '../../support/service.ts';

const isSqlite = (process.env['TANZANITE_TEST_ENGINE'] ?? 'sqlite') !== 'postgres';
const emulator = await startEmulator();
afterAll(() => emulator.close());
afterEach(() => emulator.reset({ faults: true, clock: true }));
const service = serviceAt(emulator.url, async () => undefined);
const secondary = service.with({ prefix: '/devstoreaccount1-secondary' });

let tables = 0;
async function tableOf(...rowKeys: string[]): Promise<string> {
  const name = `pets${tables++}`;
  await service.createTable(name);
  for (const rowKey of rowKeys) await service.insert(name, { RowKey: rowKey, Age: 1 });
  return name;
}

const keysIn = (body: string): string[] => [...body.matchAll(/"RowKey":"([^"]*)"/g)].map(([, key = '']) => key);
const read = (path: string) => secondary.send({ method: 'GET', path });

describe.skipIf(!isSqlite)('A secondary that is behind (not over PostgreSQL)', () => {
  it('shows the data of the time when the rule was added, until that is longer ago than its lag', async () => {
    const table = await tableOf('a');
    await emulator.clock.freeze();
    await emulator.faults.add({ name: 'behind', fault: { kind: 'stale', ms: 5_000 } });
    await service.insert(table, { RowKey: 'b' });
    const stale = await read(`/${table}()`);
    expect([keysIn(stale.body), stale.header('x-emulator-fault')]).toEqual([['a'], 'behind']);
    expect((await read(entityPath(table, 'p', 'b'))).status).toBe(404);
    expect((await read(entityPath(table, 'p', 'a'))).status).toBe(200);
    // The primary shows the current data.
    expect(keysIn((await service.get(`/${table}()`)).body)).toEqual(['a', 'b']);
    await emulator.clock.advance(6_000);
    expect(keysIn((await read(`/${table}()`)).body)).toEqual(['a', 'b']);
    await service.insert(table, { RowKey: 'c' });
    expect(keysIn((await read(`/${table}()`)).body)).toEqual(['a', 'b']);
  });

  it('is up to date again when the rule is removed', async () => {
    const table = await tableOf('a');
    await emulator.clock.freeze();
    const { id } = await emulator.faults.add({ fault: { kind: 'stale', ms: 600_000 } });
    await service.insert(table, { RowKey: 'b' });
    expect(keysIn((await read(`/${table}()`)).body)).toEqual(['a']);
    await emulator.faults.remove(id);
    expect(keysIn((await read(`/${table}()`)).body)).toEqual(['a', 'b']);
  });

  it('does not have tables created since, and filters and pages the older data', async () => {
    const table = await tableOf('a', 'b', 'c', 'd');
    await emulator.clock.freeze();
    await emulator.faults.add({ fault: { kind: 'stale', ms: 600_000 } });
    const later = await tableOf('x');
    expect((await read(`/${later}()`)).status).toBe(404);
    await service.send({ method: 'DELETE', path: entityPath(table, 'p', 'b'), headers: { 'If-Match': '*' } });
    expect(keysIn((await read(`/${table}()?$filter=RowKey%20gt%20'a'%20and%20Age%20eq%201`)).body)).toEqual([
      'b',
      'c',
      'd',
    ]);
    const first = await read(`/${table}()?$top=2`);
    expect(keysIn(first.body)).toEqual(['a', 'b']);
    const [partition, row] = ['NextPartitionKey', 'NextRowKey'].map((name) =>
      encodeURIComponent(first.header(`x-ms-continuation-${name}`) ?? ''),
    );
    const second = await read(`/${table}()?$top=2&NextPartitionKey=${partition}&NextRowKey=${row}`);
    expect(keysIn(second.body)).toEqual(['c', 'd']);
    expect(second.header('x-ms-continuation-NextPartitionKey')).toBeUndefined();
  });

  it('shows a table that was deleted since, even while many read and the rule is added and removed', async () => {
    const table = await tableOf('a');
    for (let round = 0; round < 5; round++) {
      const { id } = await emulator.faults.add({ fault: { kind: 'stale', ms: 600_000 } });
      const reads = Array.from({ length: 20 }, () => read(`/${table}()`));
      await emulator.faults.remove(id);
      const statuses = (await Promise.all(reads)).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([200]));
    }
    await emulator.clock.freeze();
    await emulator.faults.add({ fault: { kind: 'stale', ms: 600_000 } });
    await service.send({ method: 'DELETE', path: `/Tables('${table}')` });
    expect(keysIn((await read(`/${table}()`)).body)).toEqual(['a']);
  });

  it('does not affect writes, the primary or lists of tables', async () => {
    const table = await tableOf('a');
    await emulator.faults.add({ fault: { kind: 'stale', ms: 600_000 } });
    await service.get(`/${table}()`);
    await read('/Tables');
    expect(await emulator.faults.list()).toMatchObject([{ hits: 0, matched: 0 }]);
  });
});

describe.skipIf(isSqlite)('Over PostgreSQL', () => {
  it('the secondary cannot be behind', async () => {
    await expect(emulator.faults.add({ fault: { kind: 'stale', ms: 1 } })).rejects.toThrow('"fault.kind"');
  });
});
