import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeProperties } from '../../../src/model/properties.ts';
import { parseDateTime } from '../../../src/model/ticks.ts';
import type { ComparisonOperator } from '../../../src/query/filter.ts';
import { matchColumns, matchesEntity, propertiesOf } from '../../../src/query/match.ts';
import { entitiesFrom, FilterSource, hardValues, SeededRandom, valuesOf } from '../storage/seeded-tables.ts';
import { columnsOf } from './columns-of.ts';
import { comparison, int, not, one, or } from './filters.ts';
import { selects, type ValueOf } from './naive-filter.ts';

describe('Matching a single entity', () => {
  it('agrees with the service for generated filters and entities', () => {
    const property = fc.property(fc.noShrink(fc.integer()), (seed) => {
      const random = new SeededRandom(seed);
      const entities = entitiesFrom(random, 8);
      const source = new FilterSource(random, entities, [638_501_400_000_000_001n]);
      for (let count = 0; count < 20; count++) {
        const filter = source.next();
        for (const entity of entities) {
          const { partitionKey, rowKey } = entity;
          const timestamp = '2024-05-01T10:00:00.0000001Z';
          const record = { partitionKey, rowKey, timestamp, properties: encodeProperties(entity.properties) };
          const expected = selects(filter, valuesOf(entity, parseDateTime(timestamp)));
          expect(matchesEntity(filter, record), JSON.stringify(filter, String)).toBe(expected);
        }
      }
    });
    fc.assert(property, { numRuns: 60, endOnFailure: true });
  });
});

describe('Matching by columns', () => {
  it('agrees with the service for every pair of values and every operator', () => {
    const entities = [...hardValues, undefined].map(
      (value): ValueOf =>
        (name) =>
          name === 'A' ? value : undefined,
    );
    const columns = columnsOf(['A'], entities);
    for (const literal of hardValues) {
      for (const operator of ['eq', 'ne', 'lt', 'le', 'gt', 'ge'] satisfies ComparisonOperator[]) {
        const filter = comparison('A', operator, literal);
        for (const each of [filter, not(filter)]) {
          const expected = entities.map((read) => (selects(each, read) ? 1 : 0));
          const title = `${each.kind} ${operator} ${literal.type} ${String(literal.value)}`;
          expect([...matchColumns(each, columns, entities.length)], title).toEqual(expected);
        }
      }
    }
  });

  it('agrees with the service for generated filters and entities', () => {
    const property = fc.property(fc.noShrink(fc.integer()), (seed) => {
      const random = new SeededRandom(seed);
      const entities = entitiesFrom(random, 30);
      const source = new FilterSource(random, entities, [0n]);
      for (let count = 0; count < 30; count++) {
        const filter = source.next();
        const reads = entities.map((entity) => valuesOf(entity));
        const selected = matchColumns(filter, columnsOf(propertiesOf(filter), reads), reads.length);
        expect([...selected], JSON.stringify(filter, String)).toEqual(reads.map((read) => +selects(filter, read)));
      }
    });
    fc.assert(property, { numRuns: 100, endOnFailure: true });
  });

  it('treats a property without a column as absent', () => {
    expect([...matchColumns(one('A'), new Map(), 2)]).toEqual([0, 0]);
    expect([...matchColumns(not(one('A')), new Map(), 2)]).toEqual([1, 1]);
    expect([...matchColumns({ kind: 'property', name: 'A' }, new Map(), 1)]).toEqual([0]);
  });

  it('reads every property of a filter once', () => {
    const filter = or(one('A'), not(one('B')), { kind: 'property', name: 'C' }, comparison('A', 'lt', int(5)));
    expect([...propertiesOf(filter)]).toEqual(['A', 'B', 'C']);
  });
});
