// Tests the key ranges that a scan reports as visited. A page may end with any of these ranges, and the next page must
// continue directly after that range. RUNS=2000 makes more runs.

import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareKeys, type EntityKey, type EntityRecord } from '../../../../../src/model/entity.ts';
import { intersectRanges, isInRange, type KeyRange } from '../../../../../src/model/key-range.ts';
import { planQuery } from '../../../../../src/query/plan.ts';
import { SqliteAccountStore } from '../../../../../src/storage/sqlite/account/sqlite-account-store.ts';
import { openAccountFile } from '../../../../../src/storage/sqlite/file/account-file.ts';
import { ColumnCache } from '../../../../../src/storage/sqlite/scan/column-cache.ts';
import type { AccountStore, ScanPage, ScanRequest, Visit } from '../../../../../src/storage/store.ts';
import { contentsOf, entitiesOf, tableNamed } from '../../../../support/entities.ts';
import { ManualTime, storeTimes } from '../../../../support/manual-time.ts';
import { ReferenceStore } from '../../../../support/reference-store.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';
import { expectVisit } from '../../expect-visit.ts';
import { entitiesFrom, FilterSource, SeededRandom } from '../../seeded-tables.ts';

const runs = Number(process.env['RUNS'] ?? 60);
const timeLimitMs = Number(process.env['RUNS'] ? 110_000 : 8000);
const unbounded = { limit: 100_000, bytesMax: 1 << 30, timeMsMax: 60_000 };
const keyOnly = ({ partitionKey, rowKey }: EntityKey): EntityKey => ({ partitionKey, rowKey });

interface VisitedPage {
  readonly page: ScanPage;
  readonly visits: readonly Visit[];
}

/** Reads a page that ends with the visited range in which this many units are reached. */
async function pageWithin(account: AccountStore, request: ScanRequest, unitsMax: number): Promise<VisitedPage> {
  const visits: Visit[] = [];
  let units = 0;
  const onVisit = (visit: Visit): boolean => {
    visits.push(visit);
    units += visit.units;
    return units < unitsMax;
  };
  const page = await account.scan({ table: 'Pets', ...request, onVisit });
  if (page.kind !== 'page') throw new Error(`a page was expected, the store answered ${page.kind}`);
  expect(visits.reduce((sum, { entities }) => sum + entities, 0)).toBe(page.visited);
  expect(visits.every(({ entities }) => entities > 0)).toBe(true);
  if (page.end === 'budget') {
    expect(page.visited).toBeGreaterThan(0);
    expect(units).toBeGreaterThanOrEqual(unitsMax);
    expect(page.next).toBeDefined();
  }
  return { page, visits };
}

class Scene {
  readonly #random: SeededRandom;
  readonly #engine: AccountStore;
  readonly #reference: AccountStore;
  #all: readonly EntityRecord[] = [];

  constructor(random: SeededRandom, engine: AccountStore, reference: AccountStore) {
    this.#random = random;
    this.#engine = engine;
    this.#reference = reference;
  }

  async play(): Promise<void> {
    const random = this.#random;
    const entities = entitiesFrom(random, random.pick([random.between(1, 60), random.between(100, 900)]));
    for (const account of [this.#engine, this.#reference]) {
      await account.createTable(tableNamed('Pets'));
      entitiesOf(
        await account.apply(
          'Pets',
          entities.map((entity) => ({ kind: 'insert', ...entity })),
        ),
      );
    }
    this.#all = await contentsOf(this.#reference, 'Pets', 100_000);
    const source = new FilterSource(random, entities, [1n]);
    const plans = Array.from({ length: 2 }, () => planQuery(source.next()));
    for (const { range, residual } of [...plans, ...plans]) {
      const request = { ...unbounded, range, ...(residual && random.chance(0.8) ? { filter: residual } : {}) };
      await this.#comparePage(request);
      await this.#comparePages(request);
      await this.#followPages(request);
    }
  }

  /** Checks that both stores give the same pages without a budget, for any boundary. */
  async #comparePage(request: ScanRequest): Promise<void> {
    const bounded = { ...request, ...this.#bounds(request.range.from) };
    const engine = await pageWithin(this.#engine, bounded, Number.POSITIVE_INFINITY);
    const reference = await pageWithin(this.#reference, bounded, Number.POSITIVE_INFINITY);
    expect(engine.page).toEqual(reference.page);
    expect(await this.#engine.scan({ table: 'Pets', ...bounded })).toEqual(engine.page);
    this.#expectVisits(request.range, engine.visits);
  }

  /** Checks that pages which end only because of their budget contain the same entities as one page. */
  async #comparePages(request: ScanRequest): Promise<void> {
    const whole = await pageWithin(this.#reference, request, Number.POSITIVE_INFINITY);
    for (const account of [this.#engine, this.#reference]) {
      const pages = await this.#pages(account, request, () => ({}));
      expect(pages.flatMap(({ page }) => page.entities)).toEqual(whole.page.entities);
      expect(pages.reduce((sum, { page }) => sum + page.visited, 0)).toBe(whole.page.visited);
      expect(unitsOf(pages)).toBe(unitsOf([whole]));
    }
  }

  /** Checks that pages which end because of different limits cover everything. */
  async #followPages(request: ScanRequest): Promise<void> {
    const whole = await pageWithin(this.#reference, request, Number.POSITIVE_INFINITY);
    const pages = await this.#pages(this.#engine, request, (from) => this.#bounds(from));
    expect(pages.flatMap(({ page }) => page.entities)).toEqual(whole.page.entities);
  }

  async #pages(
    account: AccountStore,
    request: ScanRequest,
    bounds: (from: EntityKey | undefined) => Partial<ScanRequest>,
  ): Promise<VisitedPage[]> {
    const pages: VisitedPage[] = [];
    let from: EntityKey | undefined;
    for (let count = 0; count === 0 || from; count++) {
      const range = from ? intersectRanges(request.range, { from }) : request.range;
      const unitsMax = count < 8 ? this.#random.pick([1, 10, 40, 300, 2000]) : Number.POSITIVE_INFINITY;
      const page = { ...request, range, ...(count < 8 ? bounds(range.from) : {}) };
      const one = await pageWithin(account, page, unitsMax);
      this.#expectVisits(range, one.visits);
      if (one.page.end === 'budget') this.#expectNext(range, one.page);
      pages.push(one);
      from = one.page.next;
    }
    return pages;
  }

  #bounds(from: EntityKey | undefined): Partial<ScanRequest> {
    const random = this.#random;
    const later = this.#all.filter((entity) => !from || compareKeys(entity, from) > 0);
    const some = keyOnly(random.pick(random.chance(0.8) && later.length > 0 ? later : this.#all));
    const boundary = random.pick([some, { ...some, rowKey: '' }, { ...some, rowKey: `${some.rowKey}\u0000` }]);
    return {
      limit: random.pick([1, 10, 100, 1000]),
      bytesMax: random.pick([300, 50_000, 1 << 22]),
      endsAtPartition: random.chance(0.3),
      ...(random.chance(0.6) ? { endsBefore: boundary } : {}),
    };
  }

  /** Checks that the visited ranges are adjacent, from the beginning of the scanned range on. */
  #expectVisits(range: KeyRange, visits: readonly Visit[]): void {
    const inRange = this.#all.filter((entity) => isInRange(entity, range));
    let at = 0;
    for (const visit of visits) {
      expectVisit(visit, inRange.slice(at, at + visit.entities));
      at += visit.entities;
    }
  }

  #expectNext(range: KeyRange, { visited, next }: ScanPage): void {
    const inRange = this.#all.filter((entity) => isInRange(entity, range));
    expect(next).toEqual(keyOnly(inRange[visited] as EntityKey));
  }
}

const unitsOf = (pages: readonly VisitedPage[]): number =>
  pages.flatMap(({ visits }) => visits).reduce((sum, { units }) => sum + units, 0);

async function compare(seed: number, file?: string): Promise<void> {
  const random = new SeededRandom(seed);
  const time = new ManualTime();
  const cache = new ColumnCache(random.pick([64 << 20, 64 << 20, 20_000, 0]));
  const engine = new SqliteAccountStore(openAccountFile(file, 'none'), { ...storeTimes(time), cache });
  try {
    await new Scene(random, engine, new ReferenceStore({ modelTime: time }).account('devstoreaccount1')).play();
  } finally {
    await engine.close();
  }
  expect(cache.bytes).toBe(0);
}

describe('the reported ranges of a scan over generated tables, filters and budgets are what it visited', () => {
  const bounds = { endOnFailure: true, interruptAfterTimeLimit: timeLimitMs };

  it('in memory', { timeout: timeLimitMs * 2 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.noShrink(fc.integer()), (seed) => compare(seed)),
      { ...bounds, numRuns: runs },
    );
  });

  it('on disk', { timeout: timeLimitMs * 2 }, async () => {
    const folder = temporaryFolder();
    let count = 0;
    try {
      await fc.assert(
        fc.asyncProperty(fc.noShrink(fc.integer()), (seed) => compare(seed, join(folder.path, `${count++}.sqlite`))),
        { ...bounds, numRuns: Math.ceil(runs / 4) },
      );
    } finally {
      folder.remove();
    }
  });
});
