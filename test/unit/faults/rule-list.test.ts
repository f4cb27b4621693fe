import { describe, expect, it } from 'vitest';
import { drawDelayMs } from '../../../src/faults/draw.ts';
import { type FaultRule, isStagedOutcome } from '../../../src/faults/fault-rule.ts';
import { type FaultSubject, matchesRule } from '../../../src/faults/match-rule.ts';
import { operationTraits } from '../../../src/faults/operation-traits.ts';
import { RuleList } from '../../../src/faults/rule-list.ts';
import { operationTable } from '../../../src/service/operation-table.ts';
import { testSeed } from '../../support/test-seed.ts';

const busy = { kind: 'error', code: 'ServerBusy' } as const;

const subject = (changes: Partial<FaultSubject> = {}): FaultSubject => ({
  operation: 'InsertEntity',
  account: 'devstoreaccount1',
  table: 'Orders',
  partitionKey: 'p',
  rowKey: 'r',
  userAgent: 'azsdk-js',
  credential: 'key',
  isRefused: false,
  followsContinuation: false,
  isOfSecondary: false,
  members: [],
  ...changes,
});

const batchOf = (...members: FaultSubject[]): FaultSubject =>
  subject({ operation: 'EntityGroupTransaction', rowKey: undefined, members });

function listOf(...rules: FaultRule[]): RuleList {
  const list = new RuleList({ seed: 1 });
  list.add(rules);
  return list;
}

/** The positions of the requests that are struck, counted from 1. */
function struckOf(list: RuleList, requests: readonly FaultSubject[]): number[] {
  return requests.flatMap((request, at) => (list.choose(request) ? [at + 1] : []));
}

const tenInserts = Array.from({ length: 10 }, () => subject());

describe('The operations that rules may name', () => {
  it('are those of the operation table, the preflight, and requests without an operation', () => {
    const names = new Set(operationTable.map(({ operation }) => operation.name));
    expect(Object.keys(operationTraits).sort()).toEqual([...names, 'TablePreflightRequest', 'Unknown'].sort());
  });
});

describe('A rule strikes', () => {
  it.each<[string, Partial<FaultRule>, number[]]>([
    ['every request', {}, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
    ['the third', { when: { nth: 3 } }, [3]],
    ['the first two', { when: { first: 2 } }, [1, 2]],
    ['every fifth', { when: { every: 5 } }, [5, 10]],
    ['at most three times', { times: 3 }, [1, 2, 3]],
    ['every second, at most twice', { when: { every: 2 }, times: 2 }, [2, 4]],
    ['never, with probability 0', { when: { probability: 0 } }, []],
    ['always, with probability 1', { when: { probability: 1 } }, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
  ])('%s', (_, rule, places) => {
    const list = listOf({ ...rule, fault: busy });
    expect(struckOf(list, tenInserts)).toEqual(places);
    expect(list.list()).toMatchObject([{ hits: places.length, matched: 10 }]);
  });

  it.each<[string, FaultRule['match'], Partial<FaultSubject>, boolean]>([
    ['the operation', { operation: 'Insert*' }, {}, true],
    ['another operation', { operation: 'DeleteEntity' }, {}, false],
    ['a table in any case', { table: 'orders*' }, {}, true],
    ['another table', { table: 'pets' }, {}, false],
    ['a key in this case', { partitionKey: 'P' }, {}, false],
    ['an empty key', { rowKey: '' }, { rowKey: '' }, true],
    ['a key that the request has not', { rowKey: '*' }, { rowKey: undefined }, false],
    ['a client', { userAgent: 'azsdk-*' }, {}, true],
    ['a client that says nothing', { userAgent: '*' }, { userAgent: undefined }, false],
    ['a credential', { credential: '*Sas' }, { credential: 'tableSas' }, true],
    ['another credential', { credential: '*Sas' }, {}, false],
    ['all of several', { operation: 'InsertEntity', account: 'dev*', rowKey: 'r' }, {}, true],
    ['not all of several', { operation: 'InsertEntity', account: 'dev*', rowKey: 's' }, {}, false],
  ])('by %s', (_, match, request, isStruck) => {
    expect(listOf({ match: match ?? {}, fault: busy }).choose(subject(request)) !== undefined).toBe(isStruck);
  });

  it.each<[string, FaultRule['fault'], Partial<FaultSubject>, boolean]>([
    ['afterCommit a write', { kind: 'timeout', at: 'afterCommit' }, {}, true],
    ['afterCommit no read', { kind: 'timeout', at: 'afterCommit' }, { operation: 'GetEntity' }, false],
    ['afterCommit nothing that is refused anyway', { kind: 'hang', at: 'afterCommit' }, { isRefused: true }, false],
    ['shortPage a query', { kind: 'shortPage', entities: 0 }, { operation: 'QueryEntities' }, true],
    ['shortPage no list of tables', { kind: 'shortPage', entities: 0 }, { operation: 'QueryTables' }, false],
    [
      'expireContinuation a page after the first',
      { kind: 'expireContinuation' },
      { operation: 'QueryTables', followsContinuation: true },
      true,
    ],
    ['expireContinuation no first page', { kind: 'expireContinuation' }, { operation: 'QueryEntities' }, false],
    ['stale the secondary', { kind: 'stale', ms: 1 }, { operation: 'GetEntity', isOfSecondary: true }, true],
    ['stale not the primary', { kind: 'stale', ms: 1 }, { operation: 'GetEntity' }, false],
    ['error what is refused anyway', busy, { operation: 'Unknown', isRefused: true }, true],
  ])('with %s', (_, fault, request, isStruck) => {
    const list = listOf({ fault });
    expect(list.choose(subject(request)) !== undefined).toBe(isStruck);
    expect(list.list()[0]?.matched).toBe(isStruck ? 1 : 0);
  });

  it('alone: only the first matching rule strikes; later ones only count the request', () => {
    const list = listOf(
      { name: 'a', when: { nth: 2 }, fault: busy },
      { name: 'b', when: { first: 2 }, fault: busy },
      { name: 'c', when: { nth: 3 }, fault: busy },
    );
    expect(tenInserts.slice(0, 3).map((request) => list.choose(request)?.label)).toEqual(['b', 'a', 'c']);
    expect(list.list().map(({ hits, matched }) => [hits, matched])).toEqual([
      [1, 3],
      [1, 3],
      [1, 3],
    ]);
  });
});

describe('A batch', () => {
  const five = batchOf(...Array.from({ length: 5 }, (_, at) => subject({ rowKey: `r${at}` })));

  it('is struck at the operation that a rule matches; each matching operation counts once', () => {
    const list = listOf({ match: { operation: 'InsertEntity' }, when: { nth: 3 }, fault: busy });
    expect(list.choose(five)).toMatchObject({ index: 2 });
    expect(list.choose(five)).toBeUndefined();
    expect(list.list()).toMatchObject([{ hits: 1, matched: 10 }]);
  });

  it('is struck once, however many operations a rule matches', () => {
    const list = listOf({ match: { rowKey: 'r*' }, fault: busy });
    expect(list.choose(five)).toMatchObject({ index: 0 });
    expect(list.list()).toMatchObject([{ hits: 1, matched: 5 }]);
  });

  it('is struck itself by a rule about batches, which counts it once', () => {
    for (const match of [{}, { operation: 'EntityGroupTransaction' }, { partitionKey: 'p' }]) {
      const list = listOf({ match, fault: busy });
      expect(list.choose(five)).toMatchObject({ index: undefined });
      expect(list.list()).toMatchObject([{ matched: 1 }]);
    }
  });

  it('must have the position that a fault names, or it does not match', () => {
    expect(listOf({ fault: { ...busy, failedAt: 4 } }).choose(five)).toBeDefined();
    expect(listOf({ fault: { ...busy, failedAt: 5 } }).choose(five)).toBeUndefined();
    expect(listOf({ fault: { ...busy, failedAt: 0 } }).choose(subject())).toBeUndefined();
  });

  it('of a query has nothing to commit', () => {
    const query = batchOf(subject({ operation: 'QueryEntities', rowKey: undefined }));
    const lost = { kind: 'reset', at: 'afterCommit' } as const;
    expect(listOf({ fault: lost }).choose(query)).toBeUndefined();
    expect(listOf({ fault: lost }).choose(five)).toBeDefined();
  });
});

describe('A probability', () => {
  const keys = Array.from({ length: 10_000 }, (_, at) => subject({ rowKey: `key ${at}` }));
  const rule: FaultRule = { name: 'some', when: { probability: 0.1 }, fault: busy };
  const struckKeys = (seed: number, requests: readonly FaultSubject[], given = rule): string[] => {
    const list = new RuleList({ seed });
    list.add([given]);
    return requests.filter((request) => list.choose(request)).map(({ rowKey }) => rowKey as string);
  };

  it('strikes the same keys with the same seed, whatever the order of the requests', () => {
    const struck = struckKeys(testSeed, keys);
    expect(struck.length).toBeGreaterThan(850);
    expect(struck.length).toBeLessThan(1_150);
    expect(struckKeys(testSeed, [...keys].reverse()).sort()).toEqual([...struck].sort());
  });

  it('strikes other keys with another seed, and with another name of the rule', () => {
    const struck = new Set(struckKeys(testSeed, keys));
    for (const other of [struckKeys(testSeed + 1, keys), struckKeys(testSeed, keys, { ...rule, name: 'others' })]) {
      expect(other.filter((key) => struck.has(key)).length).toBeLessThan(200);
    }
  });

  it('decides again for each request with the same key', () => {
    const list = listOf({ ...rule, when: { probability: 0.5 } });
    const struck = Array.from({ length: 1_000 }, () => list.choose(subject()) !== undefined);
    const both = struck.slice(1).filter((is, at) => is && struck[at]).length;
    expect(both).toBeGreaterThan(150);
    expect(both).toBeLessThan(350);
  });

  it('starts again when the rules are cleared, and when its rule is removed', () => {
    const list = listOf({ ...rule, when: { probability: 0.5 } }, { match: { table: 'other' }, fault: busy });
    const struck = struckOf(list, tenInserts);
    const [id] = list.list().map((one) => one.id);
    expect(list.remove(id as string)).toBe(true);
    expect(list.clear()).toBe(1);
    list.add([{ ...rule, when: { probability: 0.5 } }]);
    expect(struckOf(list, tenInserts)).toEqual(struck);
  });

  it('counts a limited number of keys: a key that was not used for long starts again', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((rowKey) => subject({ rowKey })) as [
      FaultSubject,
      FaultSubject,
      FaultSubject,
    ];
    const isSameAgain = (seed: number, keysMax: number): boolean => {
      const list = new RuleList({ seed, keysMax });
      list.add([{ when: { probability: 0.5 }, fault: busy }]);
      const isStruck = [a, b, c, a].map((request) => list.choose(request) !== undefined);
      return isStruck[0] === isStruck[3];
    };
    const seeds = Array.from({ length: 50 }, (_, at) => testSeed + at);
    expect(seeds.every((seed) => isSameAgain(seed, 2))).toBe(true);
    expect(seeds.every((seed) => isSameAgain(seed, 3))).toBe(false);
  });
});

describe('A delay', () => {
  it('has the requested median and 99th percentile', () => {
    const list = listOf({ fault: { kind: 'delay', p50Ms: 20, p99Ms: 900 } });
    const drawn = Array.from(
      { length: 10_000 },
      (_, at) => list.choose(subject({ rowKey: String(at) }))?.delayMs ?? Number.NaN,
    ).sort((a, b) => a - b);
    expect(drawn[5_000]).toBeGreaterThan(18);
    expect(drawn[5_000]).toBeLessThan(22);
    expect(drawn[9_900]).toBeGreaterThan(700);
    expect(drawn[9_900]).toBeLessThan(1_200);
  });

  it('is always the same if median and percentile are the same, and short if the median is 0', () => {
    expect(drawDelayMs({ p50Ms: 20, p99Ms: 20 }, [0.9, 0.1])).toBeCloseTo(20);
    expect(drawDelayMs({ p50Ms: 0, p99Ms: 0 }, [0.9, 0.1])).toBeLessThan(0.01);
  });

  it('never takes longer than ten minutes', () => {
    const list = listOf({ fault: { kind: 'delay', p50Ms: 1, p99Ms: 600_000 } });
    const longest = Math.max(
      ...Array.from({ length: 10_000 }, (_, at) => list.choose(subject({ rowKey: String(at) }))?.delayMs ?? 0),
    );
    expect(longest).toBe(600_000);
  });
});

describe('The list', () => {
  it('assigns ids that are not reused, and removes rules by them', () => {
    const list = new RuleList({ seed: 1 });
    expect(list.add([{ fault: busy }, { name: 'b', fault: busy }])).toEqual(['1', '2']);
    expect([list.remove('1'), list.remove('1'), list.remove('9')]).toEqual([true, false, false]);
    expect(list.add([{ fault: busy }])).toEqual(['3']);
    expect(list.list()).toEqual([
      { id: '2', name: 'b', fault: busy, hits: 0, matched: 0 },
      { id: '3', fault: busy, hits: 0, matched: 0 },
    ]);
  });

  it('accepts 100 rules, and refuses an entire addition that exceeds that', () => {
    const list = new RuleList({ seed: 1 });
    list.add(Array.from({ length: 99 }, () => ({ fault: busy })));
    expect(() => list.add([{ fault: busy }, { fault: busy }])).toThrow('at most 100 rules, and 99 are in force');
    expect(list.list()).toHaveLength(99);
  });

  it('undoes a hit if its fault did not happen', () => {
    const list = listOf({ times: 1, fault: busy });
    list.choose(subject())?.undo();
    expect(list.list()).toMatchObject([{ hits: 0, matched: 1 }]);
    expect(list.choose(subject())).toBeDefined();
    expect(list.choose(subject())).toBeUndefined();
  });
});

describe('A rule that empties pages', () => {
  const query = subject({ operation: 'QueryEntities', followsContinuation: true });
  const after = { ...query, followsEmptyPage: true };
  const empty = { kind: 'shortPage', entities: 0 } as const;

  it.each<[string, Partial<FaultRule>, boolean]>([
    ['strikes no page after an empty one, if it strikes all', {}, false],
    ['… also as every first', { when: { every: 1 } }, false],
    ['… also by its probability', { when: { probability: 1 } }, false],
    ['strikes as often as it says', { when: { first: 3 } }, true],
    ['… in total', { times: 3 }, true],
    ['… with one entity in each page', { fault: { kind: 'shortPage', entities: 1 } }, true],
  ])('%s', (_, rule, isStruck) => {
    const list = listOf({ fault: empty, ...rule });
    expect(list.choose(query)).toBeDefined();
    expect(list.choose(after) !== undefined).toBe(isStruck);
  });
});

describe('A preview', () => {
  it('says which requests a rule would match, without counting them', () => {
    const rule: FaultRule = { match: { table: 'orders' }, fault: { kind: 'reset', at: 'afterCommit' } };
    expect(matchesRule(rule, subject())).toBe(true);
    expect(matchesRule(rule, subject({ table: 'pets' }))).toBe(false);
    expect(matchesRule(rule, subject({ operation: 'GetEntity' }))).toBe(false);
  });
});

describe('An outcome counts as staged', () => {
  it('if the client does not get the response of the service', () => {
    const staged = ['error', 'timeout', 'reset', 'hang', 'truncate', 'expireContinuation'] as const;
    const genuine = ['delay', 'drip', 'shortPage', 'stale'] as const;
    expect(staged.filter((kind) => !isStagedOutcome({ kind }))).toEqual([]);
    expect(genuine.filter((kind) => isStagedOutcome({ kind }))).toEqual([]);
  });
});
