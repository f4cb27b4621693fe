import { expect, it } from 'vitest';
import type { EntityKey } from '../../../../src/model/entity.ts';
import type { ScanPage, ScanRequest, Visit } from '../../../../src/storage/store.ts';
import { insertion, keyOf, tableNamed } from '../../../support/entities.ts';
import { comparison, int } from '../../query/filters.ts';
import type { Given } from './given.ts';

const unbounded = { range: {}, limit: 1000, bytesMax: 1 << 22, timeMsMax: 5000 };
const entitiesMax = 600;
const keyAt = (at: number): EntityKey => keyOf(`p${Math.floor(at / 200)}`, String(at).padStart(4, '0'));

/** Makes entities in three partitions of 200. Every 200th entity has a text of 3 KB, so that it counts 4 units. */
async function fill({ account }: Given): Promise<void> {
  await account.createTable(tableNamed('Pets'));
  for (let start = 0; start < entitiesMax; start += 100) {
    const mutations = Array.from({ length: 100 }, (_, index) => {
      const at = start + index;
      const text = at % 200 === 0 ? 'x'.repeat(3072) : '';
      const properties = new Map([
        ['Number', int(at)],
        ['Text', { type: 'Edm.String', value: text } as const],
      ]);
      return insertion(keyAt(at), properties);
    });
    await account.apply('Pets', mutations);
  }
}

/**
 * Reads a page, and returns it with the visits that the store reported. Asks the store to end the page as soon as
 * `entitiesWanted` entities have been reported.
 */
async function pageOf({ account }: Given, changes: Partial<ScanRequest>, entitiesWanted = Number.POSITIVE_INFINITY) {
  const visits: Visit[] = [];
  const entitiesTold = (): number => visits.reduce((sum, { entities }) => sum + entities, 0);
  const onVisit = (visit: Visit): boolean => {
    visits.push(visit);
    return entitiesTold() < entitiesWanted;
  };
  const page = await account.scan({ table: 'Pets', ...unbounded, onVisit, ...changes });
  if (page.kind !== 'page') throw new Error(`a page was expected, the store answered ${page.kind}`);
  const units = visits.reduce((sum, visit) => sum + visit.units, 0);
  return { page, visits, units, entitiesTold: entitiesTold() };
}

const rowKeysOf = ({ entities }: ScanPage): number[] => entities.map(({ rowKey }) => Number(rowKey));
const numbers = (from: number, before: number): number[] => Array.from({ length: before - from }, (_, at) => from + at);

export function describeVisits(given: () => Given): void {
  describeOnVisit(given);
  describeEndsBefore(given);
}

function describeOnVisit(given: () => Given): void {
  const isNone = comparison('Number', 'lt', int(0));

  it('promise 11: reported visits add up to the visited entities and their units, read or cached', async () => {
    await fill(given());
    for (const filter of [undefined, isNone, isNone]) {
      const { page, units, entitiesTold } = await pageOf(given(), { filter, limit: 5000 });
      expect([page.visited, entitiesTold, units]).toEqual([entitiesMax, entitiesMax, entitiesMax + 9]);
      expect(page.end).toBe('range');
    }
  });

  it('promise 11: reading ahead to see whether more entities follow is not reported', async () => {
    await fill(given());
    const plain = await pageOf(given(), { limit: 3 });
    expect([plain.page.end, plain.entitiesTold, plain.units]).toEqual(['limit', 3, 6]);
    const filter = comparison('Number', 'ge', int(10));
    const filtered = await pageOf(given(), { limit: 3, filter });
    expect([filtered.page.end, filtered.entitiesTold, filtered.units]).toEqual(['limit', 13, 16]);
    const bySize = await pageOf(given(), { bytesMax: 3100 });
    expect([bySize.page.end, bySize.entitiesTold]).toEqual(['size', bySize.page.entities.length]);
  });

  it('promise 11: nothing is reported if nothing is visited', async () => {
    await fill(given());
    for (const filter of [undefined, isNone]) {
      expect((await pageOf(given(), { filter, range: { from: keyOf('q', '') } })).visits).toEqual([]);
    }
  });

  it('promise 11: a visit names its first partition, and has parts for large partitions', async () => {
    await fill(given());
    const { visits } = await pageOf(given(), { limit: 5000 });
    const named = new Map<string, number>();
    let at = 0;
    for (const { partitionKey, entities, units, parts } of visits) {
      expect(partitionKey).toBe(keyAt(at).partitionKey);
      expect(parts.reduce((sum, part) => sum + part.units, 0)).toBe(units);
      for (const one of parts) named.set(one.partitionKey, (named.get(one.partitionKey) ?? 0) + one.partitionUnits);
      at += entities;
    }
    expect([...named.keys()]).toEqual(['p0', 'p1', 'p2']);
    expect(Math.min(...named.values())).toBeGreaterThan(203 - 40);
  });

  it.each([
    { name: 'a plain', filter: undefined },
    { name: 'a filtered', filter: comparison('Number', 'ge', int(0)) },
  ])('promise 11: $name page ends with its budget, and the next page continues from there', async ({ filter }) => {
    await fill(given());
    const found: number[] = [];
    let [visited, from]: [number, EntityKey | undefined] = [0, undefined];
    do {
      const range = from ? { from } : {};
      const { page } = await pageOf(given(), { filter, range, limit: 5000 }, 1);
      expect(page.visited).toBeGreaterThan(0);
      expect(page.visited).toBeLessThan(entitiesMax);
      expect(page.end).toBe(page.next ? 'budget' : 'range');
      found.push(...rowKeysOf(page));
      visited += page.visited;
      from = page.next;
    } while (from);
    expect(found).toEqual(numbers(0, entitiesMax));
    expect(visited).toBe(entitiesMax);
  });

  it('promise 11: a page may end because of its budget without a selected entity', async () => {
    await fill(given());
    const { page } = await pageOf(given(), { filter: isNone }, 1);
    expect(page).toMatchObject({ entities: [], end: 'budget', next: keyAt(page.visited) });
  });

  it('promise 11: a page that is full or at the end of its range says so, even if its budget is spent too', async () => {
    await fill(given());
    expect((await pageOf(given(), { limit: 1 }, 1)).page).toMatchObject({ end: 'limit', next: keyAt(1) });
    const last = { from: keyAt(entitiesMax - 1) };
    expect((await pageOf(given(), { range: last }, 1)).page).not.toHaveProperty('next');
    const only = comparison('Number', 'eq', int(0));
    const { page, entitiesTold } = await pageOf(given(), { limit: 1, filter: only }, 1);
    expect(page).toMatchObject({ end: 'range', visited: 1 });
    expect([entitiesTold, page.entities.length, page.next]).toEqual([1, 1, undefined]);
  });
}

function describeEndsBefore(given: () => Given): void {
  const isBig = comparison('Number', 'ge', int(2));

  it.each([
    { name: 'a plain', filter: undefined, first: 0 },
    { name: 'a filtered', filter: isBig, first: 2 },
  ])('promise 7: $name page ends before a given end key', async ({ filter, first }) => {
    await fill(given());
    const request = { filter, limit: 1000, endsBefore: keyOf('p1', '') };
    const { page, entitiesTold } = await pageOf(given(), request);
    expect(page).toMatchObject({ end: 'boundary', next: keyAt(200), visited: 200 });
    expect([rowKeysOf(page), entitiesTold]).toEqual([numbers(first, 200), 200]);
    const inside = await pageOf(given(), { filter, endsBefore: keyAt(7), range: { from: keyAt(3) } });
    expect(inside.page).toMatchObject({ end: 'boundary', next: keyAt(7), visited: 4 });
    expect(rowKeysOf(inside.page)).toEqual([3, 4, 5, 6]);
  });

  it('promise 7: a page before its end key may be empty', async () => {
    await fill(given());
    const range = { from: keyOf('p0', 'x') };
    const { page } = await pageOf(given(), { range, endsBefore: keyOf('p1', '') });
    expect(page).toEqual({ kind: 'page', entities: [], visited: 0, end: 'boundary', next: keyAt(200) });
  });

  it('promise 7: a page ends with the range if nothing of the range is after the end key', async () => {
    await fill(given());
    for (const filter of [undefined, isBig]) {
      const range = { from: keyAt(100), before: keyOf('p0', 'x') };
      for (const endsBefore of [keyOf('p0', '0700'), range.before, keyOf('p2', '')]) {
        const { page } = await pageOf(given(), { range, filter, endsBefore });
        expect([page.end, page.next, page.visited]).toEqual(['range', undefined, 100]);
      }
    }
  });

  it('promise 7: an end key has no effect on a page that begins there or later', async () => {
    await fill(given());
    for (const endsBefore of [keyAt(300), keyAt(299), keyOf('', '')]) {
      const { page } = await pageOf(given(), { range: { from: keyAt(300) }, limit: 5000, endsBefore });
      expect([page.end, page.visited]).toEqual(['range', 300]);
    }
  });

  it('promise 7: the end key or the end of the partition ends the page, whichever comes first', async () => {
    await fill(given());
    const endOf = async (endsBefore: EntityKey, filter = isBig): Promise<unknown> => {
      const { page } = await pageOf(given(), { endsAtPartition: true, endsBefore, filter });
      return [page.end, page.next];
    };
    expect(await endOf(keyAt(100))).toEqual(['boundary', keyAt(100)]);
    expect(await endOf(keyAt(300))).toEqual(['partition', keyAt(200)]);
    expect(await endOf(keyOf('p1', ''))).toEqual(['partition', keyAt(200)]);
    expect(await endOf(keyOf('p0', 'x'))).toEqual(['partition', keyAt(200)]);
  });

  it('promise 7: a page that is full before its end key ends at its limit', async () => {
    await fill(given());
    const { page } = await pageOf(given(), { limit: 10, endsBefore: keyAt(11) });
    expect([page.end, page.next]).toEqual(['limit', keyAt(10)]);
    const { page: justFull } = await pageOf(given(), { limit: 10, endsBefore: keyAt(10) });
    expect([justFull.end, justFull.next]).toEqual(['boundary', keyAt(10)]);
  });
}
