import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareKeys, type EntityKey } from '../../../../../src/model/entity.ts';
import { ReadRow } from '../../../../../src/storage/sqlite/file/row-text.ts';
import { ColumnCache, TableBlocks } from '../../../../../src/storage/sqlite/scan/column-cache.ts';
import { buildBlock, type RowBlock } from '../../../../../src/storage/sqlite/scan/row-block.ts';
import { keyOf } from '../../../../support/entities.ts';

const keyAt = (at: number): EntityKey => keyOf('p', String(at).padStart(4, '0'));

/** The rows of a range of numbers. There is one row for each number. */
function blockOf(low: number, high: number, name = 'A'): RowBlock {
  const rows = Array.from({ length: high - low }, (_, at) => {
    return new ReadRow(low + at, 'p', keyAt(low + at).rowKey, 0, '0000000', `"A":${low + at}`);
  });
  return buildBlock(rows, { low: keyAt(low), high: keyAt(high), names: [name] });
}

const size = blockOf(0, 100).bytes;

describe('The column cache', () => {
  it('keeps the beginning of a table that is larger than the cache', () => {
    const cache = new ColumnCache(size * 3.5);
    const blocks = new TableBlocks(cache);
    for (let at = 0; at < 1000; at += 100) blocks.put(blockOf(at, at + 100));
    for (const at of [0, 199, 299]) expect(blocks.find(keyAt(at)), `row ${at}`).toBeDefined();
    expect(blocks.find(keyAt(900))).toBeUndefined();
    expect(cache.bytes).toBeLessThanOrEqual(size * 3.5);
  });

  it('stores nothing that is larger than the cache', () => {
    const cache = new ColumnCache(size - 1);
    const blocks = new TableBlocks(cache);
    blocks.put(blockOf(0, 100));
    expect([cache.bytes, blocks.find(keyAt(0)), blocks.nextLow(keyOf('', ''))]).toEqual([0, undefined, undefined]);
  });

  it('evicts the blocks of other tables, the least recently used first', () => {
    const cache = new ColumnCache(size * 3);
    const [first, second, third] = [new TableBlocks(cache), new TableBlocks(cache), new TableBlocks(cache)];
    for (const blocks of [first, second, third]) blocks.put(blockOf(0, 100));
    expect(first.find(keyAt(0))).toBeDefined();
    new TableBlocks(cache).put(blockOf(0, 100));
    const there = [first, second, third].map((blocks) => blocks.find(keyAt(0)) !== undefined);
    expect(there).toEqual([true, false, true]);
  });

  it('is empty after every table was cleared', () => {
    const cache = new ColumnCache();
    const tables = [new TableBlocks(cache), new TableBlocks(cache)];
    for (const blocks of tables) for (const at of [0, 300, 900]) blocks.put(blockOf(at, at + 100));
    expect(cache.bytes).toBe(size * 6);
    for (const blocks of tables) blocks.clear();
    expect(cache.bytes).toBe(0);
    expect(tables[0]?.find(keyAt(0))).toBeUndefined();
  });
});

/** Returns the set of cached numbers. Checks that each block has exactly the rows of its key range. */
function coveredBy(blocks: TableBlocks): Set<number> {
  const covered = new Set<number>();
  for (let at = 0; at < 60; at++) {
    const block = blocks.find(keyAt(at));
    if (!block) continue;
    expect(compareKeys(block.low, keyAt(at))).toBeLessThanOrEqual(0);
    expect([...block.ids]).toContain(at);
    expect([...(block.columns.get('A')?.numbers ?? [])]).toEqual([...block.ids]);
    expect(block.ids[0]).toBe(Number(block.low.rowKey));
    expect((block.ids.at(-1) ?? 0) + 1).toBe(Number(block.high?.rowKey));
    covered.add(at);
  }
  return covered;
}

describe('Over random key ranges and writes', () => {
  const action = fc.record({
    table: fc.nat(1),
    kind: fc.constantFrom('put', 'put', 'put', 'invalidate', 'clear'),
    at: fc.nat(49),
    length: fc.integer({ min: 1, max: 10 }),
  });

  it('the cache contains no range that was written, no overlap, and no more than its limit', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 40 }), fc.constantFrom(1e9, 3000, 1500), (actions, bytesMax) => {
        const cache = new ColumnCache(bytesMax);
        const tables = [0, 1].map(() => ({ blocks: new TableBlocks(cache), put: new Set<number>() }));
        for (const { table, kind, at, length } of actions) {
          const { blocks, put } = tables[table] as (typeof tables)[number];
          if (kind === 'put' && !blocks.find(keyAt(at))) {
            const next = blocks.nextLow(keyAt(at));
            const high = Math.min(at + length, next ? Number(next.rowKey) : Infinity);
            blocks.put(blockOf(at, high));
            for (let row = at; row < high; row++) put.add(row);
          } else if (kind === 'invalidate') {
            blocks.invalidate(keyAt(at));
            put.delete(at);
          } else if (kind === 'clear') {
            blocks.clear();
            put.clear();
          }
          for (const each of tables) {
            const covered = coveredBy(each.blocks);
            for (const row of covered) expect(each.put.has(row), `row ${row}`).toBe(true);
          }
          expect(cache.bytes).toBeLessThanOrEqual(bytesMax);
        }
        for (const { blocks } of tables) blocks.clear();
        expect(cache.bytes).toBe(0);
      }),
      { numRuns: 200 },
    );
  });
});
