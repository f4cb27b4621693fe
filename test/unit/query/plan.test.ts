import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareKeys, type EntityKey } from '../../../src/model/entity.ts';
import { isEmptyRange, type KeyRange } from '../../../src/model/key-range.ts';
import type { Filter } from '../../../src/query/filter.ts';
import { type PlanKind, planQuery } from '../../../src/query/plan.ts';
import { createFilterReader } from '../../../src/query/read-filter.ts';
import { entitiesFrom, FilterSource, SeededRandom, valuesOf } from '../storage/seeded-tables.ts';
import { selects } from './naive-filter.ts';

const { readFilter } = createFilterReader();
const key = (partitionKey: string, rowKey = ''): EntityKey => ({ partitionKey, rowKey });
const planOf = (text: string) => planQuery(readFilter(text));

function isInside(at: EntityKey, { from, before }: KeyRange): boolean {
  return (!from || compareKeys(at, from) >= 0) && (!before || compareKeys(at, before) < 0);
}

describe('A plan', () => {
  const onA = { from: key('a'), before: key('a\0') };
  const cases: readonly (readonly [string, PlanKind, KeyRange, boolean])[] = [
    ["PartitionKey eq 'a' and RowKey eq '1'", 'point', { from: key('a', '1'), before: key('a', '1\0') }, false],
    [
      "RowKey eq '1' and A eq 1 and PartitionKey eq 'a'",
      'point',
      { from: key('a', '1'), before: key('a', '1\0') },
      true,
    ],
    ["'a' eq PartitionKey and '1' eq RowKey", 'point', { from: key('a', '1'), before: key('a', '1\0') }, false],
    ["PartitionKey eq 'a' and RowKey ge '1'", 'range', { from: key('a', '1'), before: key('a\0') }, false],
    ["PartitionKey eq 'a' and RowKey gt '1'", 'range', { from: key('a', '1\0'), before: key('a\0') }, false],
    ["PartitionKey eq 'a' and RowKey lt '1'", 'range', { from: key('a'), before: key('a', '1') }, false],
    ["PartitionKey eq 'a' and RowKey le '1'", 'range', { from: key('a'), before: key('a', '1\0') }, false],
    ["PartitionKey eq 'a' and '1' le RowKey", 'range', { from: key('a', '1'), before: key('a\0') }, false],
    [
      "PartitionKey eq 'a' and RowKey ge 'ab' and RowKey lt 'ac'",
      'range',
      { from: key('a', 'ab'), before: key('a', 'ac') },
      false,
    ],
    ["PartitionKey eq 'a'", 'partition scan', onA, false],
    ["PartitionKey eq 'a' and A eq 1", 'partition scan', onA, true],
    ["PartitionKey eq 'a' and (RowKey eq '1' or RowKey eq '2')", 'partition scan', onA, true],
    ["PartitionKey eq 'a' and not (RowKey eq '1')", 'partition scan', onA, true],
    ["PartitionKey eq 'a' and RowKey ne '1'", 'partition scan', onA, true],
    [
      "PartitionKey eq 'b' and PartitionKey ge 'a' and PartitionKey le 'c'",
      'partition scan',
      { from: key('b'), before: key('b\0') },
      false,
    ],
    ["PartitionKey ge 'a' and PartitionKey lt 'c'", 'table scan', { from: key('a'), before: key('c') }, false],
    [
      "PartitionKey gt 'a' and PartitionKey gt 'b' and PartitionKey le 'c' and PartitionKey le 'd'",
      'table scan',
      { from: key('b\0'), before: key('c\0') },
      false,
    ],
    ["PartitionKey gt 'a' and RowKey eq '1'", 'table scan', { from: key('a\0') }, true],
    ["PartitionKey lt 'a'", 'table scan', { from: key(''), before: key('a') }, false],
    ["PartitionKey ge ''", 'table scan', {}, false],
    ["RowKey eq '1'", 'table scan', {}, true],
    ["PartitionKey eq 'a' or PartitionKey eq 'b'", 'table scan', {}, true],
    ["(PartitionKey eq 'a' and RowKey eq '1') or (PartitionKey eq 'b' and RowKey eq '2')", 'table scan', {}, true],
    ["not (PartitionKey eq 'a')", 'table scan', {}, true],
    ["PartitionKey ne 'a'", 'table scan', {}, true],
    ['A eq 1', 'table scan', {}, true],
    ['', 'table scan', {}, false],
  ];

  it.each(cases)('of %s is a %s', (text, kind, range, hasResidual) => {
    const plan = planOf(text);
    expect([plan.kind, plan.range, plan.residual !== undefined]).toEqual([kind, range, hasResidual]);
  });

  it.each([
    "PartitionKey eq 'a' and PartitionKey eq 'b'",
    "PartitionKey eq 'b' and PartitionKey eq 'a'",
    "PartitionKey gt 'b' and PartitionKey lt 'a'",
    "PartitionKey eq 'a' and PartitionKey gt 'a'",
    "PartitionKey lt ''",
    "PartitionKey eq 'a' and RowKey eq '1' and RowKey eq '2'",
    "PartitionKey eq 'a' and RowKey ge '2' and RowKey lt '1'",
    "PartitionKey eq 'a' and RowKey lt ''",
  ])('of %s visits nothing', (text) => {
    expect(isEmptyRange(planOf(text).range)).toBe(true);
  });

  it('selects nothing outside its range, and inside the same as the filter', () => {
    let inside = 0;
    const property = fc.property(fc.noShrink(fc.integer()), (seed) => {
      const random = new SeededRandom(seed);
      const entities = entitiesFrom(random, 40);
      const source = new FilterSource(random, entities, [0n]);
      for (let count = 0; count < 20; count++) {
        const filter: Filter = source.next();
        const { range, residual } = planQuery(filter);
        for (const entity of entities) {
          const read = valuesOf(entity);
          const isVisited = isInside(entity, range);
          if (isVisited) inside++;
          const isSelected = isVisited && (!residual || selects(residual, read));
          expect(isSelected, JSON.stringify([filter.kind, entity.partitionKey])).toBe(selects(filter, read));
        }
      }
    });
    fc.assert(property, { numRuns: 100, endOnFailure: true });
    expect(inside).toBeGreaterThan(1000);
  });
});
