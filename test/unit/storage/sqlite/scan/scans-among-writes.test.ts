// Runs random writes and scans at the same time. Each page must be a snapshot of one moment. RUNS=2000 makes more runs.

import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { compareKeys, type EntityKey } from '../../../../../src/model/entity.ts';
import { intersectRanges } from '../../../../../src/model/key-range.ts';
import type { Mutation } from '../../../../../src/model/mutation.ts';
import type { Filter } from '../../../../../src/query/filter.ts';
import { planQuery } from '../../../../../src/query/plan.ts';
import type { AccountStore, ScanOutcome, ScanPage, ScanRequest } from '../../../../../src/storage/store.ts';
import { anyState, keyOf, tableNamed } from '../../../../support/entities.ts';
import { ManualTime } from '../../../../support/manual-time.ts';
import { ReferenceStore } from '../../../../support/reference-store.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';
import { and, comparison, int, not, or } from '../../../query/filters.ts';
import { SeededRandom } from '../../seeded-tables.ts';
import { numbered, openPets, rowKeyAt, unbounded } from '../slow-engine.ts';

const runs = Number(process.env['RUNS'] ?? 100);
const timeLimitMs = Number(process.env['RUNS'] ? 100_000 : 12_000);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A write and its outcome. The outcome is undefined if the write was lost, and so had no effect. */
interface Write {
  readonly play: (account: AccountStore) => Promise<unknown>;
  outcome?: 'settled' | 'lost';
}

interface Watched {
  readonly request: ScanRequest;
  /** The number of entities that the scan reported as visited. */
  reported: number;
  /**
   * `writesBefore` counts the writes that were acknowledged before the call. `writesAfter` counts the writes that began
   * before the answer. The page must show the state after `writesBefore` writes, after `writesAfter` writes, or after
   * a number of writes between the two.
   */
  readonly writesBefore: number;
  writesAfter: number;
  outcome?: ScanOutcome;
}

/** Makes concurrent writes and scans from a seed. */
class Scene {
  readonly #random: SeededRandom;
  readonly #writes: Write[] = [];
  readonly #scans: Watched[] = [];
  #acknowledged = 0;
  readonly #engine: AccountStore;
  #pending: Promise<unknown>[] = [];

  constructor(random: SeededRandom, engine: AccountStore) {
    this.#random = random;
    this.#engine = engine;
  }

  async play(): Promise<void> {
    const random = this.#random;
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
  }

  /** The number of scans during which writes happened. */
  get crossed(): number {
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
      play(this.#engine).then(
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
    if (random.chance(0.04)) {
      this.#write((account) => account.clearTable('Pets'));
      return;
    }
    if (random.chance(0.01)) {
      this.#write((account) => account.clear());
      return;
    }
    if (random.chance(0.07)) {
      this.#write((account) => account.createTable(tableNamed('Pets')));
      return;
    }
    if (random.chance(0.04)) {
      const spoiler = numbered('insertOrReplace', keyOf(random.pick(['spoiled', 'rolled back']), ''), 1);
      this.#write((account) => account.apply('Pets', [spoiler]));
      return;
    }
    const mutations = Array.from({ length: random.pick([1, 1, 1, 2, 2, 5, 5, 40]) }, (): Mutation => {
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
    const entitiesWanted = random.pick([1e9, 1e9, 1, 100, 500]);
    const request: ScanRequest = {
      range: intersectRanges(range, from),
      ...(residual && !random.chance(0.1) ? { filter: residual } : {}),
      limit: random.pick([1, 3, 20, 100, 1000]),
      bytesMax: random.pick([1 << 22, 1 << 22, 300]),
      timeMsMax: random.pick([1e9, 1e9, 1e9, 3, 8]),
      endsAtPartition: random.chance(0.25),
      ...(random.chance(0.25) ? { endsBefore: this.#key(random.below(900)) } : {}),
      onVisit: ({ entities }) => {
        watched.reported += entities;
        return watched.reported < entitiesWanted;
      },
    };
    const watched: Watched = { request, reported: 0, writesBefore: this.#acknowledged, writesAfter: 0 };
    this.#scans.push(watched);
    this.#pending.push(
      this.#engine.scan({ table: 'Pets', ...request }).then((outcome) => {
        watched.outcome = outcome;
        watched.writesAfter = this.#writes.length;
        if (outcome.kind === 'page') expect(watched.reported).toBe(outcome.visited);
      }),
    );
  }

  /** Repeats the writes that were not lost, and computes the pages after each of them. */
  async judge(): Promise<void> {
    const reference = new ReferenceStore({ modelTime: new ManualTime() }).account('devstoreaccount1');
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

/** Compares outcomes without timestamps, which differ between two stores. Each write stores its number instead. */
const withoutMoments = (outcome: ScanOutcome): string =>
  JSON.stringify(
    outcome.kind === 'page' ? outcome.entities.map((entity) => ({ ...entity, timestamp: '' })) : outcome.kind,
  );

async function isPageOf(reference: AccountStore, request: ScanRequest, outcome: ScanOutcome): Promise<boolean> {
  const expect = async (changes: Partial<ScanRequest>): Promise<ScanPage | undefined> => {
    const bounds = { endsAtPartition: false, endsBefore: undefined, onVisit: undefined };
    const expected = await reference.scan({ table: 'Pets', ...request, ...bounds, ...changes });
    const isSame = withoutMoments(expected) === withoutMoments(outcome);
    return isSame && expected.kind === 'page' ? expected : undefined;
  };
  if (outcome.kind !== 'page')
    return (await reference.scan({ table: 'Pets', ...unbounded, range: {} })).kind === outcome.kind;
  const { entities, next, end } = outcome;
  if (request.endsAtPartition && new Set(entities.map(({ partitionKey }) => partitionKey)).size > 1) return false;
  if (end === 'boundary' && next && request.endsBefore && compareKeys(next, request.endsBefore) < 0) return false;
  if (end === 'time' || end === 'partition' || end === 'boundary' || end === 'budget') {
    const range = intersectRanges(request.range, next ? { before: next } : {});
    return next !== undefined && (await expect({ ...unbounded, range })) !== undefined;
  }
  const expected = await expect({});
  return expected?.end === end && JSON.stringify(expected.next) === JSON.stringify(next);
}

async function playScene(seed: number, file: string | undefined): Promise<Scene> {
  const random = new SeededRandom(seed);
  const { engine, cache } = await openPets({
    file,
    msPerReading: random.pick([0.05, 0.3, 0.6, 0.9]),
    cacheBytesMax: random.pick([64 << 20, 64 << 20, 20_000, 6000]),
  });
  const scene = new Scene(random, engine);
  try {
    await scene.play();
  } finally {
    await engine.close();
  }
  expect(cache.bytes).toBe(0);
  await scene.judge();
  return scene;
}

describe.each(['in memory', 'in a file'])('among random writes %s', (where) => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());

  it('every page is a snapshot of one moment between call and answer', { timeout: timeLimitMs * 2 }, async () => {
    let [crossed, played] = [0, 0];
    const scenes = fc.asyncProperty(fc.noShrink(fc.integer()), async (seed) => {
      played += 1;
      const file = where === 'in a file' ? join(folder.path, `${played}.sqlite`) : undefined;
      crossed += (await playScene(seed, file)).crossed;
    });
    await fc.assert(scenes, { numRuns: runs, endOnFailure: true, interruptAfterTimeLimit: timeLimitMs });
    expect(crossed).toBeGreaterThan(20);
  });
});
