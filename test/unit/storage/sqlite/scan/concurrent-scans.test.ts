// Even with concurrent writes, a page is a snapshot of one moment between its call and its result.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EntityKey } from '../../../../../src/model/entity.ts';
import type { Mutation } from '../../../../../src/model/mutation.ts';
import type { SqliteAccountStore } from '../../../../../src/storage/sqlite/account/sqlite-account-store.ts';
import type { ColumnCache } from '../../../../../src/storage/sqlite/scan/column-cache.ts';
import type { ScanOutcome, ScanPage, ScanRequest, Visit } from '../../../../../src/storage/store.ts';
import { anyState, keyOf, tableNamed } from '../../../../support/entities.ts';
import { comparison, int } from '../../../query/filters.ts';
import { numbered, openPets, rowKeyAt, unbounded } from '../slow-engine.ts';

let engine: SqliteAccountStore;
let cache: ColumnCache;

const entitiesToo = (sum: number, { entities }: Visit): number => sum + entities;

describe('a page that takes many turns', () => {
  const isNegative = comparison('Number', 'lt', int(0));
  const keyAt = (at: number): EntityKey => keyOf('p', rowKeyAt(at));
  const scan = (request: Partial<ScanRequest> = {}): Promise<ScanOutcome> =>
    engine.scan({ table: 'Pets', ...unbounded, range: {}, filter: isNegative, ...request });
  const put = (number: number, ...ats: number[]) =>
    engine.apply(
      'Pets',
      ats.map((at) => numbered('insertOrReplace', keyAt(at), number)),
    );
  const seen = (outcome: ScanOutcome): unknown =>
    outcome.kind === 'page'
      ? outcome.entities.map(({ rowKey, properties }) => `${rowKey} ${properties.replace('"Number":', '')}`)
      : outcome.kind;

  beforeEach(async () => {
    ({ engine, cache } = await openPets());
    const ats = Array.from({ length: 3000 }, (_, at) => at);
    await engine.apply(
      'Pets',
      ats.map((at) => numbered('insert', keyAt(at), at)),
    );
  });
  afterEach(() => engine.close());

  it('shows entities that are written before and after its cursor', async () => {
    const page = scan();
    await put(-1, 3);
    await put(-2, 2900);
    expect(seen(await page)).toEqual(['0003 -1', '2900 -2']);
  });

  it('shows the last state of entities that it has passed, and no deleted entities', async () => {
    await put(-1, 3, 4, 5);
    const page = scan();
    await engine.apply('Pets', [
      { kind: 'delete', ...keyAt(3), ifMatch: anyState },
      numbered('insertOrReplace', keyAt(4), -4),
      numbered('insertOrReplace', keyAt(5), 5),
      numbered('insert', keyOf('p', '0003x'), -7),
    ]);
    expect(seen(await page)).toEqual(['0003x -7', '0004 -4']);
  });

  it('ends at its limit, which includes entities that were written before its cursor', async () => {
    await put(-1, 20);
    const page = scan({ limit: 2 });
    await put(-2, 3, 4);
    expect(await page).toMatchObject({ end: 'limit', next: keyAt(20), entities: [keyAt(3), keyAt(4)] });
  });

  it('continues if entities that it had found are deleted', async () => {
    await put(-1, 3, 2900, 2901);
    const page = scan({ limit: 1 });
    await put(3, 3);
    expect(await page).toMatchObject({ end: 'limit', next: keyAt(2901), entities: [keyAt(2900)] });
  });

  it('uses cached columns only while they are current', async () => {
    await scan();
    expect(cache.bytes).toBeGreaterThan(0);
    const page = scan();
    await put(-1, 40, 2000);
    expect(seen(await page)).toEqual(['0040 -1', '2000 -1']);
    expect(seen(await scan())).toEqual(['0040 -1', '2000 -1']);
  });

  it('shows nothing of a group that was rolled back, nor does a later page', async () => {
    for (const spoiler of ['spoiled', 'rolled back']) {
      const page = scan();
      const lost = [put(-1, 3, 2900), engine.apply('Pets', [numbered('insert', keyOf(spoiler, ''), -1)])];
      expect((await Promise.allSettled(lost)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      expect(seen(await page)).toEqual([]);
      expect(seen(await scan())).toEqual([]);
    }
  });

  it('returns tableMissing if the table is deleted, even if it is created again', async () => {
    const pages = [scan(), scan()];
    await engine.deleteTable('Pets');
    await engine.createTable(tableNamed('Pets'));
    await put(-1, 2999);
    expect((await Promise.all(pages)).map(seen)).toEqual(['tableMissing', 'tableMissing']);
    expect(seen(await scan())).toEqual(['2999 -1']);
  });

  it('is empty if the table is cleared, and does not contain later writes', async () => {
    const visits: Visit[] = [];
    const onVisit = (visit: Visit): boolean => visits.push(visit) > 0;
    await put(-1, 3, 2900);
    const pages = [scan({ onVisit }), scan({ endsAtPartition: true })];
    const [, cleared] = await Promise.all([put(-2, 4), engine.clearTable('Pets'), put(-3, 5)]);
    expect(cleared).toEqual({ kind: 'cleared' });
    const [page, other] = (await Promise.all(pages)) as ScanPage[];
    expect(page).toEqual({ kind: 'page', entities: [], visited: visits.reduce(entitiesToo, 0), end: 'range' });
    expect(page?.visited).toBeGreaterThan(0);
    expect(other).toMatchObject({ entities: [], end: 'range' });
    expect(seen(await scan())).toEqual(['0005 -3']);
    expect(cache.bytes).toBe(0);
  });

  it('returns tableMissing if the account is cleared', async () => {
    const pages = [scan(), scan()];
    await Promise.all([engine.clear(), engine.createTable(tableNamed('Pets')), put(-1, 2999)]);
    expect((await Promise.all(pages)).map(seen)).toEqual(['tableMissing', 'tableMissing']);
    expect(seen(await scan())).toEqual(['2999 -1']);
  });

  it('continues if a clearing was rolled back with its transaction', async () => {
    await put(-1, 3, 2900);
    const page = scan();
    const lost = [engine.clearTable('Pets'), engine.clear(), engine.createTable(tableNamed('Pets'))];
    const spoiled = engine.apply('Pets', [numbered('insert', keyOf('spoiled', ''), -1)]);
    expect((await Promise.allSettled([...lost, spoiled])).map(({ status }) => status)).not.toContain('fulfilled');
    expect(seen(await page)).toEqual(['0003 -1', '2900 -1']);
    expect(seen(await scan())).toEqual(['0003 -1', '2900 -1']);
  });

  it('reports each entity once, although it reads entities again that are written before its cursor', async () => {
    const visits: Visit[] = [];
    const page = scan({ onVisit: (visit) => visits.push(visit) > 0 });
    await put(-1, 3, 4, 5);
    await put(-2, 3, 4, 5);
    expect(await page).toMatchObject({ visited: 3000, end: 'range' });
    expect(visits.reduce(entitiesToo, 0)).toBe(3000);
  });

  it('ends because of its budget, which includes entities that are written before its cursor', async () => {
    const visits: Visit[] = [];
    const onVisit = (visit: Visit): boolean => visits.push(visit) > 0 && visits.reduce(entitiesToo, 0) < 1000;
    const page = scan({ onVisit });
    await put(-1, 3, 2900);
    const ended = (await page) as ScanPage;
    expect(seen(ended)).toEqual(['0003 -1']);
    expect([ended.end, ended.next]).toEqual(['budget', keyAt(ended.visited)]);
    expect(ended.visited).toBe(visits.reduce(entitiesToo, 0));
    expect(seen(await scan({ range: { from: keyAt(ended.visited) } }))).toEqual(['2900 -1']);
  });

  it('ends when its time has passed, and the next page continues from there', async () => {
    const all = Array.from({ length: 3000 }, (_, at) => rowKeyAt(at));
    const found: string[] = [];
    const ends: string[] = [];
    let from: EntityKey | undefined;
    do {
      const filter = comparison('Number', 'ge', int(0));
      const page = (await scan({ filter, timeMsMax: 4, range: from ? { from } : {} })) as ScanPage;
      found.push(...page.entities.map(({ rowKey }) => rowKey));
      ends.push(page.end);
      from = page.next;
    } while (from);
    expect(found).toEqual(all);
    expect(ends.length).toBeGreaterThan(2);
    expect(new Set(ends)).toEqual(new Set(['time', 'range']));
  });

  it('lets other requests be answered between its slices', async () => {
    const order: string[] = [];
    const page = scan().then(() => order.push('page'));
    await put(-1, 3).then(() => order.push('write'));
    await engine.get('Pets', keyAt(3)).then(() => order.push('read'));
    await page;
    expect(order).toEqual(['write', 'read', 'page']);
  });

  it('does not count an entity twice that is written after it was found', async () => {
    await put(-1, 3, 4);
    const page = scan({ bytesMax: 40 });
    for (const number of [-2, -3, -4]) await put(number, 3, 4);
    expect(await page).toMatchObject({ end: 'range', entities: [keyAt(3), keyAt(4)] });
  });

  it('returns its beginning as next if it had no time', async () => {
    const page = await scan({ timeMsMax: 0, range: { from: keyAt(5) } });
    expect(page).toEqual({ kind: 'page', entities: [], next: keyAt(5), visited: 0, end: 'time' });
  });

  it('reads a cached range that has shrunk only as far as it is still cached', async () => {
    await scan();
    await engine.apply(
      'Pets',
      Array.from({ length: 60 }, (_, at): Mutation => ({ kind: 'delete', ...keyAt(200 + at), ifMatch: anyState })),
    );
    expect(seen(await scan())).toEqual([]);
    for (let at = 900; at < 1300; at += 10) {
      await put(-1, at);
      expect(seen(await scan())).toEqual([`${rowKeyAt(at)} -1`]);
      await put(at, at);
      expect(seen(await scan())).toEqual([]);
    }
  });

  it('ends with the first partition even if the partition was written during the scan', async () => {
    await put(-1, 3, 2900);
    const page = scan({ endsAtPartition: true });
    await engine.apply('Pets', [numbered('insert', keyOf('a', '1'), -5)]);
    expect(await page).toMatchObject({ end: 'partition', next: keyAt(0), entities: [keyOf('a', '1')] });
  });

  it('rejects if the store is closed during the scan', async () => {
    ({ engine, cache } = await openPets());
    await engine.apply(
      'Pets',
      Array.from({ length: 3000 }, (_, at) => numbered('insert', keyAt(at), at)),
    );
    const page = scan();
    const refused = expect(page).rejects.toThrow('closed');
    await engine.close();
    await refused;
    ({ engine, cache } = await openPets());
  });
});
