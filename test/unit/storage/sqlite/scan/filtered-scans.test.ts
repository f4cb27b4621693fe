// Tests filtered scans. Together, the pages of a scan must contain the entities that the service's filter logic selects
// from the complete list of entities. RUNS=2000 makes more runs.

import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareKeys, type Entity, type EntityKey, type EntityRecord } from '../../../../../src/model/entity.ts';
import { intersectRanges } from '../../../../../src/model/key-range.ts';
import type { Mutation } from '../../../../../src/model/mutation.ts';
import { encodeProperties } from '../../../../../src/model/properties.ts';
import type { Ticks } from '../../../../../src/model/ticks.ts';
import type { Filter } from '../../../../../src/query/filter.ts';
import { planQuery } from '../../../../../src/query/plan.ts';
import { SqliteAccountStore } from '../../../../../src/storage/sqlite/account/sqlite-account-store.ts';
import { openAccountFile } from '../../../../../src/storage/sqlite/file/account-file.ts';
import { ColumnCache } from '../../../../../src/storage/sqlite/scan/column-cache.ts';
import type { AccountStore, ScanPage, ScanRequest } from '../../../../../src/storage/store.ts';
import { anyState, entitiesOf, tableNamed, textValue, ticksOf } from '../../../../support/entities.ts';
import { ManualTime, storeTimes } from '../../../../support/manual-time.ts';
import { ReferenceStore } from '../../../../support/reference-store.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';
import { comparison, int } from '../../../query/filters.ts';
import { selects } from '../../../query/naive-filter.ts';
import { entitiesFrom, FilterSource, SeededRandom, valuesOf } from '../../seeded-tables.ts';

const runs = Number(process.env['RUNS'] ?? 100);
const timeLimitMs = Number(process.env['RUNS'] ? 110_000 : 6000);
const unbounded = { limit: 100_000, bytesMax: 1 << 30, timeMsMax: 60_000 };

/** The entities that were written, with the timestamp of each. */
type Written = Map<string, Entity & { readonly ticks: Ticks }>;

const nameOf = ({ partitionKey, rowKey }: EntityKey): string => JSON.stringify([partitionKey, rowKey]);

/** An engine and the reference store. Both get the same writes at the same moments. */
class Pair {
  readonly written: Written = new Map();
  readonly #engine: AccountStore;
  readonly #reference: AccountStore;

  constructor(engine: AccountStore, reference: AccountStore) {
    this.#engine = engine;
    this.#reference = reference;
  }

  async create(): Promise<void> {
    for (const account of [this.#engine, this.#reference]) await account.createTable(tableNamed('Pets'));
  }

  async write(mutations: readonly Mutation[]): Promise<void> {
    const applied = entitiesOf(await this.#engine.apply('Pets', mutations));
    expect(await this.#reference.apply('Pets', mutations)).toEqual({ kind: 'applied', entities: applied });
    for (const [at, mutation] of mutations.entries()) {
      if (mutation.kind === 'delete') this.written.delete(nameOf(mutation));
      else this.written.set(nameOf(mutation), { ...mutation, ticks: ticksOf(applied[at]?.timestamp ?? '') });
    }
  }

  /** Reads a page from both, and checks that the pages and the visited entities are equal. */
  async page(request: ScanRequest): Promise<ScanPage> {
    const page = await this.#engine.scan({ table: 'Pets', ...request });
    const expected = await this.#reference.scan({ table: 'Pets', ...request });
    if (JSON.stringify(page) !== JSON.stringify(expected)) expect(page).toEqual(expected);
    if (page.kind !== 'page') throw new Error(`a page was expected, the store answered ${page.kind}`);
    return page;
  }

  /** Reads all pages: first a few small ones, and then the rest in one. */
  async pages(filter: Filter, { limit, bytesMax, endsAtPartition }: Partial<ScanRequest>): Promise<EntityRecord[]> {
    const { range, residual } = planQuery(filter);
    const entities: EntityRecord[] = [];
    let from: EntityKey | undefined;
    for (let count = 0; count === 0 || from; count++) {
      const page = await this.page({
        ...unbounded,
        range: from ? intersectRanges(range, { from }) : range,
        ...(residual && { filter: residual }),
        ...(count < 8 && limit ? { limit } : {}),
        ...(count < 8 && bytesMax ? { bytesMax } : {}),
        ...(endsAtPartition ? { endsAtPartition } : {}),
      });
      entities.push(...page.entities);
      from = page.next;
    }
    return entities;
  }

  selected(filter: Filter): string[] {
    return [...this.written.values()]
      .filter((entity) => selects(filter, valuesOf(entity, entity.ticks)))
      .sort(compareKeys)
      .map((entity) => `${nameOf(entity)} ${entity.ticks} ${encodeProperties(entity.properties)}`);
  }
}

const described = (entities: readonly EntityRecord[]): string[] =>
  entities.map((entity) => `${nameOf(entity)} ${ticksOf(entity.timestamp)} ${entity.properties}`);

function sizeFrom(random: SeededRandom): number {
  return random.pick([
    random.between(1, 40),
    random.between(60, 300),
    random.between(300, 1500),
    random.between(1, 300),
  ]);
}

function changesFrom(random: SeededRandom, written: Written): Mutation[] {
  const keys = [...written.values()].map(({ partitionKey, rowKey }) => ({ partitionKey, rowKey }));
  return Array.from({ length: Math.min(random.between(1, 4), keys.length) }, (_, at): Mutation => {
    const [key] = keys.splice(random.below(keys.length), 1);
    if (!key) throw new Error('there are no more keys');
    const properties = new Map([['a', int(at)]]);
    if (random.chance(0.3)) return { kind: 'delete', ...key, ifMatch: anyState };
    if (random.chance(0.5)) return { kind: 'replace', ...key, properties, ifMatch: anyState };
    return { kind: 'insertOrReplace', ...key, rowKey: `${key.rowKey}~`, properties };
  });
}

async function compare(seed: number, file?: string): Promise<void> {
  const random = new SeededRandom(seed);
  const bytesMax = random.pick([64 << 20, 64 << 20, 40_000, 9_000, 0]);
  const cache = new ColumnCache(bytesMax);
  const time = new ManualTime();
  const engine = new SqliteAccountStore(openAccountFile(file, 'none'), { ...storeTimes(time), cache });
  const pair = new Pair(engine, new ReferenceStore({ modelTime: time }).account('devstoreaccount1'));
  try {
    await pair.create();
    const entities = entitiesFrom(random, sizeFrom(random));
    await pair.write(entities.map((entity) => ({ kind: 'insert', ...entity })));
    const ticks = [...pair.written.values()].map((entity) => entity.ticks);
    const source = new FilterSource(random, entities, ticks);
    const filters = Array.from({ length: 2 }, () => source.next());
    for (const filter of [...filters, ...filters]) {
      const expected = pair.selected(filter);
      expect(described(await pair.pages(filter, {}))).toEqual(expected);
      const limit = random.pick([1, 2, 10, 100, expected.length || 1, expected.length + 1]);
      expect(described(await pair.pages(filter, { limit }))).toEqual(expected);
      const request = { limit, bytesMax: random.pick([1, 200, 5000, 100_000]), endsAtPartition: random.chance(0.6) };
      expect(described(await pair.pages(filter, request))).toEqual(expected);
      expect(cache.bytes).toBeLessThanOrEqual(bytesMax);
      if (random.chance(0.4)) await pair.write(changesFrom(random, pair.written));
      if (pair.written.size === 0) return;
    }
  } finally {
    await engine.close();
  }
  expect(cache.bytes).toBe(0);
}

describe('the pages of a scan over generated tables and filters are what the service would select', () => {
  const bounds = { endOnFailure: true, interruptAfterTimeLimit: timeLimitMs };

  it('in memory, repeatedly, with writes in between', { timeout: timeLimitMs * 2 }, async () => {
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

describe('a filtered scan of a table that is not small', () => {
  const filled = async (cache: ColumnCache): Promise<SqliteAccountStore> => {
    const engine = new SqliteAccountStore(openAccountFile(undefined, 'none'), { ...storeTimes(), cache });
    await engine.createTable(tableNamed('Pets'));
    const mutations = Array.from({ length: 4000 }, (_, at): Mutation => {
      const properties = new Map([
        ['Number', int(at)],
        ['Name', textValue(`pet ${at}`)],
      ]);
      return { kind: 'insert', partitionKey: `p${at % 2}`, rowKey: String(at).padStart(4, '0'), properties };
    });
    await engine.apply('Pets', mutations);
    return engine;
  };
  const found = async (engine: SqliteAccountStore, filter: Filter): Promise<string[]> => {
    const outcome = await engine.scan({ table: 'Pets', ...unbounded, range: {}, filter });
    return outcome.kind === 'page' ? outcome.entities.map(({ rowKey }) => rowKey) : [outcome.kind];
  };

  it('caches columns, and returns the same from them', async () => {
    const cache = new ColumnCache();
    const engine = await filled(cache);
    const filter = comparison('Number', 'lt', int(2));
    expect(await found(engine, filter)).toEqual(['0000', '0001']);
    expect(cache.bytes).toBeGreaterThan(3900 * 9);
    // The first few rows of a scan are cached when the rows after them are cached.
    expect(await found(engine, filter)).toEqual(['0000', '0001']);
    const { bytes } = cache;
    expect(await found(engine, filter)).toEqual(['0000', '0001']);
    expect(cache.bytes).toBe(bytes);
    expect(await found(engine, comparison('Name', 'eq', textValue('pet 3999')))).toEqual(['3999']);
    expect(cache.bytes).toBeGreaterThan(bytes);
    await engine.close();
  });

  it('drops a cached range if an entity in it is written, and keeps other ranges', async () => {
    const cache = new ColumnCache();
    const engine = await filled(cache);
    const filter = comparison('Number', 'eq', int(-1));
    expect(await found(engine, filter)).toEqual([]);
    const { bytes } = cache;
    const properties = new Map([['Number', int(-1)]]);
    await engine.apply('Pets', [
      { kind: 'replace', partitionKey: 'p1', rowKey: '0501', properties, ifMatch: anyState },
    ]);
    const bytesAfter = cache.bytes;
    expect(bytesAfter).toBeLessThan(bytes);
    expect(bytesAfter).toBeGreaterThan(bytes / 2);
    expect(await found(engine, filter)).toEqual(['0501']);
    expect(cache.bytes).toBeGreaterThan(bytesAfter);
    await engine.close();
  });

  it.each<[string, (engine: SqliteAccountStore) => Promise<unknown>]>([
    ['the table is deleted', (engine) => engine.deleteTable('Pets')],
    ['the table is cleared', (engine) => engine.clearTable('Pets')],
    ['the account is cleared', (engine) => engine.clear()],
  ])('caches nothing when %s', async (_, end) => {
    const cache = new ColumnCache();
    const engine = await filled(cache);
    await found(engine, comparison('Number', 'eq', int(-1)));
    expect(cache.bytes).toBeGreaterThan(0);
    await end(engine);
    expect(cache.bytes).toBe(0);
    await engine.close();
  });
});
