// Tests the rules for pages. The test applies the rules to a trivial engine over an array. The resulting pages must
// equal the pages of the reference store.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareKeys, type EntityKey, type EntityRecord } from '../../../src/model/entity.ts';
import { entityUnits } from '../../../src/model/entity-units.ts';
import { isInRange } from '../../../src/model/key-range.ts';
import { PageBuilder } from '../../../src/storage/page-builder.ts';
import type { ScanPage, ScanRequest, Visit } from '../../../src/storage/store.ts';
import { contentsOf, keyOf, tableNamed } from '../../support/entities.ts';
import { ManualTime } from '../../support/manual-time.ts';
import { ReferenceStore } from '../../support/reference-store.ts';
import { comparison, int } from '../query/filters.ts';

const keyOnly = ({ partitionKey, rowKey }: EntityKey): EntityKey => ({ partitionKey, rowKey });

/** A visit of these entities, with a part for each entity. */
function visitOf(entities: readonly EntityRecord[]): Visit {
  const parts = entities.map((entity) => {
    const units = entityUnits(entity);
    return { partitionKey: entity.partitionKey, units, partitionUnits: units };
  });
  const units = parts.reduce((sum, part) => sum + part.units, 0);
  return { partitionKey: parts[0]?.partitionKey ?? '', entities: entities.length, units, parts };
}

interface Engine {
  readonly all: readonly EntityRecord[];
  readonly selects: (entity: EntityRecord) => boolean;
  /** The number of entities that the engine visits in one read. */
  readonly stretch: number;
}

/** Reads a page by the rules, and counts the reads of the engine. */
function pageOf(request: ScanRequest, { all, selects, stretch }: Engine): { page: ScanPage; looks: number } {
  const builder = new PageBuilder(request);
  for (let looks = 0; ; looks++) {
    const step = builder.step();
    if (step.kind === 'done') return { page: step.page, looks };
    const there = all.filter((entity) => isInRange(entity, step));
    if (step.kind === 'find') {
      step.found(there[0]);
      continue;
    }
    const found = there.slice(0, stretch);
    builder.take({
      start: 0,
      end: found.length,
      high: there[stretch] ?? step.before,
      selected: Uint8Array.from(found, (entity) => (selects(entity) ? 1 : 0)),
      entityAt: (at) => found[at],
      visitUpTo: (end) => visitOf(found.slice(0, end)),
    });
  }
}

const scene = fc.record({
  keys: fc.uniqueArray(fc.tuple(fc.nat(4), fc.nat(9)), { maxLength: 40, selector: ([p, r]) => p * 10 + r }),
  from: fc.option(fc.tuple(fc.nat(4), fc.nat(9)), { nil: undefined }),
  before: fc.option(fc.tuple(fc.nat(4), fc.nat(9)), { nil: undefined }),
  endsBefore: fc.option(fc.tuple(fc.nat(4), fc.nat(9)), { nil: undefined }),
  endsAtPartition: fc.boolean(),
  isFiltered: fc.boolean(),
  limit: fc.integer({ min: 1, max: 12 }),
  bytesMax: fc.constantFrom(1, 30, 1 << 20),
  unitsMax: fc.constantFrom(1, 3, 10, 1000),
});

const keyAt = ([partition, row]: readonly [number, number]): EntityKey => keyOf(`p${partition}`, `r${row}`);

describe('a page built by PageBuilder', () => {
  it('equals the page of the reference store, which reads one entity at a time', async () => {
    await fc.assert(
      fc.asyncProperty(scene, async ({ keys, from, before, endsBefore, unitsMax, isFiltered, ...bounds }) => {
        const reference = new ReferenceStore({ modelTime: new ManualTime() }).account('reference');
        await reference.createTable(tableNamed('Pets'));
        const number = ([partition, row]: readonly [number, number]) => (partition + row) % 3;
        await reference.apply(
          'Pets',
          keys.map((one) => ({ kind: 'insert', ...keyAt(one), properties: new Map([['Number', int(number(one))]]) })),
        );
        const all = (await contentsOf(reference, 'Pets')).toSorted(compareKeys);
        const within = (): ((visit: Visit) => boolean) => {
          let units = 0;
          return (visit) => {
            units += visit.units;
            return units < unitsMax;
          };
        };
        const request: ScanRequest = {
          ...bounds,
          range: { from: from && keyAt(from), before: before && keyAt(before) },
          endsBefore: endsBefore && keyAt(endsBefore),
          filter: isFiltered ? comparison('Number', 'eq', int(1)) : undefined,
          timeMsMax: 5000,
        };
        const selects = ({ properties }: EntityRecord): boolean => !isFiltered || properties === '"Number":1';
        const { page } = pageOf({ ...request, onVisit: within() }, { all, selects, stretch: 1 });
        expect(page).toEqual(await reference.scan({ table: 'Pets', ...request, onVisit: within() }));
        // Without a budget, it makes no difference how many entities a visit has.
        const whole = await reference.scan({ table: 'Pets', ...request });
        for (const stretch of [2, 7, 100]) expect(pageOf(request, { all, selects, stretch }).page).toEqual(whole);
      }),
      { numRuns: 300 },
    );
  });

  it('requests no more entities than can be used, and reads ahead once', () => {
    const all = Array.from({ length: 50 }, (_, at): EntityRecord => {
      return { ...keyOf('p', String(at).padStart(2, '0')), timestamp: '', properties: '' };
    });
    const request = { range: {}, limit: 10, bytesMax: 1000, timeMsMax: 5000, endsBefore: keyOnly(all[5] as EntityKey) };
    const { page, looks } = pageOf(request, { all, selects: () => true, stretch: 100 });
    expect([page.entities.length, page.end, page.next, looks]).toEqual([
      5,
      'boundary',
      keyOnly(all[5] as EntityKey),
      2,
    ]);
    expect(new PageBuilder(request).step()).toMatchObject({ kind: 'read', wanted: 11 });
  });
});
