import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CountedPartition,
  HeavyHitters,
  HotPartitions,
  partitionName,
} from '../../../src/capacity/hot-partitions.ts';
import { LoadWindow } from '../../../src/capacity/load.ts';
import { newRandom } from './scenario.ts';

const countersMax = 8;
const stream = fc.array(fc.tuple(fc.nat(30).map(String), fc.nat(20)), { maxLength: 400 });

function count(steps: readonly (readonly [string, number])[]) {
  const hitters = new HeavyHitters(countersMax);
  const exact = new Map<string, number>();
  for (const [name, units] of steps) {
    hitters.add(name, units);
    exact.set(name, (exact.get(name) ?? 0) + units);
  }
  const total = [...exact.values()].reduce((sum, units) => sum + units, 0);
  return { hitters, exact, total };
}

describe('HeavyHitters', () => {
  it('never counts too few, and too many by no more than the bounded error', () => {
    fc.assert(
      fc.property(stream, (steps) => {
        const { hitters, exact, total } = count(steps);
        for (const { name, units, error } of hitters.values()) {
          const truth = exact.get(name)!;
          expect(units).toBeGreaterThanOrEqual(truth);
          expect(units - error).toBeLessThanOrEqual(truth);
          expect(error).toBeLessThanOrEqual(total / countersMax);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('holds every name with more than its share of all units', () => {
    fc.assert(
      fc.property(stream, (steps) => {
        const { hitters, exact, total } = count(steps);
        for (const [name, units] of exact) {
          if (units > total / countersMax) expect(hitters.get(name)).toBeDefined();
        }
      }),
      { numRuns: 300 },
    );
  });

  it('holds no more names than its limit, each once, and finds each by its name', () => {
    fc.assert(
      fc.property(stream, (steps) => {
        const { hitters, exact } = count(steps);
        const names = hitters.values().map(({ name }) => name);
        expect(names).toHaveLength(Math.min(countersMax, exact.size));
        expect(new Set(names).size).toBe(names.length);
        for (const hitter of hitters.values()) expect(hitters.get(hitter.name)).toBe(hitter);
      }),
    );
  });

  it('is exact while there are no more names than counters', () => {
    const few = fc.array(fc.tuple(fc.nat(countersMax - 1).map(String), fc.nat(20)));
    fc.assert(
      fc.property(few, (steps) => {
        const { hitters, exact } = count(steps);
        expect(new Map(hitters.values().map(({ name, units }) => [name, units]))).toEqual(exact);
      }),
    );
  });
});

/** A partition without its counter, so that it is looked up. */
const counted = (name: string): CountedPartition => ({ name, hitter: undefined });

describe('HotPartitions', () => {
  it('finds the heavy partitions among a million light ones, and counts them within the error bound', () => {
    const random = newRandom();
    const hot = new HotPartitions(0);
    const exact = new Map<string, number>();
    const add = (partitionKey: string): void => {
      hot.add(counted(partitionName('Orders', partitionKey)), 1, 5_000_000);
    };
    for (let at = 0; at < 1_000_000; at++) {
      add(`light${at}`);
      if (at % 10 > 0) continue;
      // A tenth of the load, on five partitions, the first the heaviest.
      const heavy = `heavy${Math.min(random(5), random(5))}`;
      add(heavy);
      exact.set(heavy, (exact.get(heavy) ?? 0) + 1);
    }
    const top = hot.top(5, 10_000_000 - 1);
    expect(top.map(({ partitionKey }) => partitionKey)).toEqual([0, 1, 2, 3, 4].map((at) => `heavy${at}`));
    for (const { partitionKey, unitsPerSecond } of top) {
      const truth = exact.get(partitionKey)!;
      expect(unitsPerSecond * 10).toBeLessThanOrEqual(truth + 1);
      expect(unitsPerSecond * 10).toBeGreaterThan(truth - 1_100_000 / 256);
    }
    expect(hot.top(1_000_000, 25_000_000).length).toBeLessThanOrEqual(512);
  });

  it('averages over the last ten seconds, like every other load', () => {
    const hot = new HotPartitions(0);
    const load = new LoadWindow();
    const partition = counted('Orders/a/b');
    for (let ms = 0; ms < 47_000; ms += 10) {
      const units = ms % 3_000 < 1_000 ? 17 : 1;
      load.add(units, ms * 1_000);
      const hitter = hot.add(partition, units, ms * 1_000);
      if (ms % 5_000 === 0) {
        hitter.refused ??= new LoadWindow();
        hitter.refused.add(1, ms * 1_000);
      }
      if (ms % 1_000 > 0) continue;
      const [top] = hot.top(5, ms * 1_000);
      expect(top).toMatchObject({ table: 'Orders', partitionKey: 'a/b', refused: ms < 5_000 ? 1 : 2 });
      expect(top?.unitsPerSecond).toBeCloseTo(load.perSecond(ms * 1_000), 1);
    }
  });

  it('drops partitions that were hot ten seconds ago', () => {
    const hot = new HotPartitions(0);
    hot.add(counted('Orders/a'), 300, 5_000_000);
    expect(hot.top(5, 14_999_999)).toHaveLength(1);
    expect(hot.top(5, 15_000_000)).toEqual([]);
    hot.add(counted('Orders/b'), 1, 86_400_000_000);
    expect(hot.top(5, 86_400_000_000)).toHaveLength(1);
  });

  it('drops the partitions of a table, and keeps counting those of others', () => {
    const hot = new HotPartitions(0);
    const countAll = (nowUs: number): void => {
      for (let at = 0; at < 3_000; at++) hot.add(counted(`${at % 3 ? 'Orders' : 'Pets'}/p${at}`), at + 1, nowUs);
    };
    countAll(1_000_000);
    countAll(11_000_000);
    hot.forgetTable('ORDERS');
    const left = hot.top(3_000, 11_000_000);
    expect(left.length).toBeGreaterThan(300);
    expect(new Set(left.map(({ table }) => table))).toEqual(new Set(['Pets']));
    for (let at = 0; at < 3_000; at++) hot.add(counted(`Pets/q${at}`), 10_000 + at, 11_000_000);
    expect(hot.top(1, 11_000_000)).toMatchObject([{ partitionKey: 'q2999' }]);
  });
});
