// A page is one snapshot of a moment between call and answer, whoever writes meanwhile. Time is made to pass with every
// look at the clock, so that a scan takes many turns. More runs: RUNS=2000.

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EntityKey } from '../../../src/model/entity.ts';
import { intersectRanges } from '../../../src/model/key-range.ts';
import type { Mutation } from '../../../src/model/mutation.ts';
import type { Filter } from '../../../src/query/filter.ts';
import { planQuery } from '../../../src/query/plan.ts';
import { ColumnCache } from '../../../src/storage/sqlite/column-cache.ts';
import { SqliteAccountStore } from '../../../src/storage/sqlite/sqlite-account-store.ts';
import type { AccountStore, ScanOutcome, ScanPage, ScanRequest } from '../../../src/storage/store.ts';
import { and, comparison, int, not, or } from '../query/filters.ts';
import { anyState, keyOf, tableNamed } from './entities.ts';
import { ManualClock } from './manual-clock.ts';
import { ReferenceStore } from './reference-store.ts';
import { SeededRandom } from './seeded-tables.ts';
import { openSpoilable } from './spoilable-database.ts';

const runs = Number(process.env['RUNS'] ?? 100);
const timeLimitMs = Number(process.env['RUNS'] ? 100_000 : 12_000);
const unbounded = { limit: 100_000, bytesMax: 1 << 30, timeMsMax: 1e9 };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

let msPerLook = 0.6;
let engine: SqliteAccountStore;
let cache: ColumnCache;

beforeEach(() => {
  let nowMs = 0;
  msPerLook = 0.6;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    nowMs += msPerLook;
    return nowMs;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function open(bytesMax = 64 << 20): Promise<void> {
  cache = new ColumnCache(bytesMax);
  engine = new SqliteAccountStore(openSpoilable(), { clock: new ManualClock(), cache });
  await engine.createTable(tableNamed('Pets'));
}

const numbered = (kind: 'insert' | 'insertOrReplace', key: EntityKey, number: number): Mutation => ({
  kind,
  ...key,
  properties: new Map([['Number', int(number)]]),
});
const rowKeyAt = (at: number): string => String(at).padStart(4, '0');

describe('a page that takes many turns', () => {
  const isNegative = comparison('Number', 'lt', int(0));
  const keyAt = (at: number): EntityKey => keyOf('p', rowKeyAt(at));
  const scan = (request: Partial<ScanRequest> = {}): Promise<ScanOutcome> =>
    engine.scan('Pets', { ...unbounded, range: {}, filter: isNegative, ...request });
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
    await open();
    const ats = Array.from({ length: 3000 }, (_, at) => at);
    await engine.apply(
      'Pets',
      ats.map((at) => numbered('insert', keyAt(at), at)),
    );
  });
  afterEach(() => engine.close());

  it('shows what is written behind its cursor and before it', async () => {
    const page = scan();
    await put(-1, 3);
    await put(-2, 2900);
    expect(seen(await page)).toEqual(['0003 -1', '2900 -2']);
  });

  it('shows the last state of what it had passed, and not what is gone', async () => {
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

  it('ends at its limit with what was written behind its cursor', async () => {
    await put(-1, 20);
    const page = scan({ limit: 2 });
    await put(-2, 3, 4);
    expect(await page).toMatchObject({ end: 'limit', next: keyAt(20), entities: [keyAt(3), keyAt(4)] });
  });

  it('goes on for more where what it had found is gone', async () => {
    await put(-1, 3, 2900, 2901);
    const page = scan({ limit: 1 });
    await put(3, 3);
    expect(await page).toMatchObject({ end: 'limit', next: keyAt(2901), entities: [keyAt(2900)] });
  });

  it('answers from remembered columns only what is still so', async () => {
    await scan();
    expect(cache.bytes).toBeGreaterThan(0);
    const page = scan();
    await put(-1, 40, 2000);
    expect(seen(await page)).toEqual(['0040 -1', '2000 -1']);
    expect(seen(await scan())).toEqual(['0040 -1', '2000 -1']);
  });

  it('shows nothing of a group that was rolled back, nor does a later one', async () => {
    for (const spoiler of ['spoiled', 'rolled back']) {
      const page = scan();
      const lost = [put(-1, 3, 2900), engine.apply('Pets', [numbered('insert', keyOf(spoiler, ''), -1)])];
      expect((await Promise.allSettled(lost)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      expect(seen(await page)).toEqual([]);
      expect(seen(await scan())).toEqual([]);
    }
  });

  it('answers that the table is missing once it is deleted, and made again', async () => {
    const pages = [scan(), scan()];
    await engine.deleteTable('Pets');
    await engine.createTable(tableNamed('Pets'));
    await put(-1, 2999);
    expect((await Promise.all(pages)).map(seen)).toEqual(['tableMissing', 'tableMissing']);
    expect(seen(await scan())).toEqual(['2999 -1']);
  });

  it('ends when its time is over, and the next one goes on from there', async () => {
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

  it('lets others be answered between its slices', async () => {
    const order: string[] = [];
    const page = scan().then(() => order.push('page'));
    await put(-1, 3).then(() => order.push('write'));
    await engine.get('Pets', keyAt(3)).then(() => order.push('read'));
    await page;
    expect(order).toEqual(['write', 'read', 'page']);
  });

  it('does not count what it had found and is written anew', async () => {
    await put(-1, 3, 4);
    const page = scan({ bytesMax: 40 });
    for (const number of [-2, -3, -4]) await put(number, 3, 4);
    expect(await page).toMatchObject({ end: 'range', entities: [keyAt(3), keyAt(4)] });
  });

  it('begins where it was to begin when there was no time at all', async () => {
    const page = await scan({ timeMsMax: 0, range: { from: keyAt(5) } });
    expect(page).toEqual({ kind: 'page', entities: [], next: keyAt(5), visited: 0, end: 'time' });
  });

  it('reads a stretch that shrank no further than what is still remembered', async () => {
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

  it('ends with the first partition where that is new since the scan began', async () => {
    await put(-1, 3, 2900);
    const page = scan({ endsAtPartition: true });
    await engine.apply('Pets', [numbered('insert', keyOf('a', '1'), -5)]);
    expect(await page).toMatchObject({ end: 'partition', next: keyAt(0), entities: [keyOf('a', '1')] });
  });

  it('rejects when the store is closed under it', async () => {
    await open();
    await engine.apply(
      'Pets',
      Array.from({ length: 3000 }, (_, at) => numbered('insert', keyAt(at), at)),
    );
    const page = scan();
    const refused = expect(page).rejects.toThrow('closed');
    await engine.close();
    await refused;
    await open();
  });
});

/** A write, and what became of it: undefined where it was lost, so that it never happened. */
interface Write {
  readonly play: (account: AccountStore) => Promise<unknown>;
  outcome?: 'settled' | 'lost';
}

interface Watched {
  readonly request: ScanRequest;
  /** Writes acknowledged before the call, and writes begun before the answer: the snapshot is of a state between. */
  readonly writesBefore: number;
  writesAfter: number;
  outcome?: ScanOutcome;
}

/** Plays writes and scans side by side, all from one seed. */
class Scene {
  readonly #random: SeededRandom;
  readonly #writes: Write[] = [];
  readonly #scans: Watched[] = [];
  #acknowledged = 0;
  #pending: Promise<unknown>[] = [];

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
  }

  /** How many scans saw writes between call and answer. */
  async play(): Promise<number> {
    const random = this.#random;
    msPerLook = random.pick([0.05, 0.3, 0.6, 0.9]);
    await open(random.pick([64 << 20, 64 << 20, 20_000, 6000]));
    try {
      const count = random.pick([50, 400, 900]);
      const mutations = Array.from({ length: count }, (_, at) => this.#mutation('insertOrReplace', at));
      this.#write((account) => account.createTable(tableNamed('Pets')));
      this.#write((account) => account.apply('Pets', mutations));
      await Promise.all(this.#pending);
      for (let turns = random.between(5, 30); turns > 0; turns--) {
        if (random.chance(0.5)) this.#scan();
        for (let writes = random.pick([0, 0, 1, 1, 2, 4]); writes > 0; writes--) this.#writeSomething(count);
        await turn();
      }
      await Promise.all(this.#pending);
    } finally {
      await engine.close();
    }
    expect(cache.bytes).toBe(0);
    await this.#judge();
    return this.#scans.filter(({ writesBefore, writesAfter }) => writesAfter > writesBefore).length;
  }

  #key(at: number): EntityKey {
    return keyOf(`p${at % 5}`, rowKeyAt(at));
  }

  #mutation(kind: 'insert' | 'insertOrReplace' | 'insertOrMerge', at: number): Mutation {
    const properties = new Map([
      ['Number', int(this.#random.below(10))],
      ['Write', int(this.#writes.length)],
    ]);
    return { kind, ...this.#key(at), properties };
  }

  #write(play: Write['play']): void {
    const write: Write = { play };
    const place = this.#writes.push(write);
    const settle = (outcome: 'settled' | 'lost') => {
      write.outcome = outcome;
      this.#acknowledged = Math.max(this.#acknowledged, place);
    };
    this.#pending.push(
      play(engine).then(
        () => settle('settled'),
        () => settle('lost'),
      ),
    );
  }

  #writeSomething(count: number): void {
    const random = this.#random;
    if (random.chance(0.02)) {
      this.#write((account) => account.deleteTable('Pets'));
      return;
    }
    if (random.chance(0.05)) {
      this.#write((account) => account.createTable(tableNamed('Pets')));
      return;
    }
    if (random.chance(0.04)) {
      const spoiler = numbered('insertOrReplace', keyOf(random.pick(['spoiled', 'rolled back']), ''), 1);
      this.#write((account) => account.apply('Pets', [spoiler]));
      return;
    }
    const mutations = Array.from({ length: random.pick([1, 1, 2, 5]) }, (): Mutation => {
      const at = random.below(count * 1.2);
      const kind = random.pick(['insert', 'insertOrReplace', 'insertOrMerge', 'insertOrMerge', 'delete'] as const);
      return kind === 'delete' ? { kind, ...this.#key(at), ifMatch: anyState } : this.#mutation(kind, at);
    });
    this.#write((account) => account.apply('Pets', mutations));
  }

  #filter(): Filter {
    const random = this.#random;
    const isNumber = comparison('Number', random.pick(['eq', 'lt', 'ge']), int(random.below(10)));
    const isRecent = comparison('Write', 'gt', int(random.below(this.#writes.length + 1)));
    const isIn = comparison('PartitionKey', random.pick(['eq', 'ge', 'le']), {
      type: 'Edm.String',
      value: `p${random.below(5)}`,
    });
    return random.pick<Filter>([isNumber, and(isIn, isNumber), or(isNumber, isRecent), not(isNumber), isRecent]);
  }

  #scan(): void {
    const random = this.#random;
    const { range, residual } = planQuery(this.#filter());
    const from = random.chance(0.3) ? { from: this.#key(random.below(400)) } : {};
    const request: ScanRequest = {
      range: intersectRanges(range, from),
      ...(residual && !random.chance(0.1) ? { filter: residual } : {}),
      limit: random.pick([1, 3, 20, 100, 1000]),
      bytesMax: random.pick([1 << 22, 1 << 22, 300]),
      timeMsMax: random.pick([1e9, 1e9, 1e9, 3, 8]),
      endsAtPartition: random.chance(0.25),
    };
    const watched: Watched = { request, writesBefore: this.#acknowledged, writesAfter: 0 };
    this.#scans.push(watched);
    this.#pending.push(
      engine.scan('Pets', request).then((outcome) => {
        watched.outcome = outcome;
        watched.writesAfter = this.#writes.length;
      }),
    );
  }

  /** Plays the writes that were not lost again, and asks after each what the pages of that moment are. */
  async #judge(): Promise<void> {
    const reference = new ReferenceStore(new ManualClock()).account('devstoreaccount1');
    const unexplained = new Set(this.#scans);
    for (let played = 0; played <= this.#writes.length; played++) {
      for (const watched of unexplained) {
        const { request, outcome, writesBefore, writesAfter } = watched;
        if (played < writesBefore || played > writesAfter || !outcome) continue;
        if (await isPageOf(reference, request, outcome)) unexplained.delete(watched);
      }
      const write = this.#writes[played];
      if (write?.outcome === 'settled') await write.play(reference);
    }
    expect([...unexplained], 'pages of no moment between call and answer').toEqual([]);
  }
}

/** Moments of two stores are not the same; each write leaves its number in what it wrote. */
const withoutMoments = (outcome: ScanOutcome): string =>
  JSON.stringify(
    outcome.kind === 'page' ? outcome.entities.map((entity) => ({ ...entity, timestamp: '' })) : outcome.kind,
  );

async function isPageOf(reference: AccountStore, request: ScanRequest, outcome: ScanOutcome): Promise<boolean> {
  const expect = async (changes: Partial<ScanRequest>): Promise<ScanPage | undefined> => {
    const expected = await reference.scan('Pets', { ...request, endsAtPartition: false, ...changes });
    const isSame = withoutMoments(expected) === withoutMoments(outcome);
    return isSame && expected.kind === 'page' ? expected : undefined;
  };
  if (outcome.kind !== 'page') return (await reference.scan('Pets', request)).kind === outcome.kind;
  const { entities, next, end } = outcome;
  if (request.endsAtPartition && new Set(entities.map(({ partitionKey }) => partitionKey)).size > 1) return false;
  if (end === 'time' || end === 'partition') {
    const range = intersectRanges(request.range, next ? { before: next } : {});
    return next !== undefined && (await expect({ ...unbounded, range })) !== undefined;
  }
  const expected = await expect({});
  return expected?.end === end && JSON.stringify(expected.next) === JSON.stringify(next);
}

describe('among random writes', () => {
  it('every page is a snapshot of a moment between call and answer', { timeout: timeLimitMs * 2 }, async () => {
    let crossed = 0;
    const scenes = fc.asyncProperty(fc.noShrink(fc.integer()), async (seed) => {
      crossed += await new Scene(seed).play();
    });
    await fc.assert(scenes, { numRuns: runs, endOnFailure: true, interruptAfterTimeLimit: timeLimitMs });
    expect(crossed).toBeGreaterThan(20);
  });
});
