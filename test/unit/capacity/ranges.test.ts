import { describe, expect, it } from 'vitest';
import type { RangeReport, TableReport } from '../../../src/capacity/capacity-report.ts';
import type { Demand } from '../../../src/capacity/meter.ts';
import { drive, newRandom, newScenario, read, refusalNow, refusedIn, type Scenario, write } from './scenario.ts';

/** The target of a range is 400 units per second, that of a partition 100, and that of an account 1,000. */
const small = { scale: 0.05 } as const;

const tableOf = ({ report }: Scenario): TableReport => report().tables[0]!;
const rangesOf = (scenario: Scenario): readonly RangeReport[] => tableOf(scenario).ranges;

/** A scenario with random reads of 100 partitions, p00 to p99, which do not stop. */
function newSpread(options: Parameters<typeof newScenario>[0] = small): { scenario: Scenario; demandAt: () => Demand } {
  const random = newRandom();
  return { scenario: newScenario(options), demandAt: () => read(`p${String(random(100)).padStart(2, '0')}`) };
}

describe('a fresh table', () => {
  it('is one range, which refuses a burst even if the account has budget', () => {
    const { scenario, demandAt } = newSpread();
    const tally = drive(scenario, { perSecond: 1_000, seconds: 5, demandAt });
    expect(rangesOf(scenario)).toMatchObject([{ from: '', before: null, isLone: false }]);
    expect(tally.refused.range).toBe(refusedIn(tally));
    // The budget for one second that the range had, and the budget of the five seconds that followed.
    expect(tally.accepted).toBeLessThanOrEqual(6 * 400);
    expect(tally.accepted).toBeGreaterThan(6 * 400 - 3);
    expect(rangesOf(scenario)[0]!.refused).toBe(tally.refused.range);
  });

  it('carries the complete load of an account over many partitions after it has split', () => {
    const { scenario, demandAt } = newSpread();
    drive(scenario, { perSecond: 1_000, seconds: 90, demandAt });
    expect(rangesOf(scenario).length).toBeGreaterThan(2);
    const tally = drive(scenario, { perSecond: 1_000, seconds: 30, demandAt });
    expect(refusedIn(tally)).toBe(0);
  });
});

describe('a hot range', () => {
  it('splits at a partition boundary near the median of its load', () => {
    const random = newRandom();
    const scenario = newScenario(small);
    // Three quarters of the load go to the last ten of a hundred partitions.
    const demandAt = (): Demand => read(`p${random(4) ? 90 + random(10) : 10 + random(80)}`);
    drive(scenario, { perSecond: 380, seconds: 30, demandAt });
    const [low, high] = rangesOf(scenario);
    expect(tableOf(scenario).splits).toBe(1);
    expect(low).toMatchObject({ from: '', before: high!.from });
    expect(high).toMatchObject({ before: null });
    expect(high!.from).toMatch(/^p9[1-5]$/);
  });

  it('does not split before splitAfterMs', () => {
    const { scenario, demandAt } = newSpread();
    drive(scenario, { perSecond: 380, seconds: 15, demandAt });
    expect(tableOf(scenario).splits).toBe(0);
    drive(scenario, { perSecond: 380, seconds: 15, demandAt });
    expect(tableOf(scenario).splits).toBe(1);
  });

  it('does not split below three quarters of its target', () => {
    const { scenario, demandAt } = newSpread();
    drive(scenario, { perSecond: 280, seconds: 60, demandAt });
    expect(tableOf(scenario).splits).toBe(0);
  });

  it('refuses requests to both halves for moveMs, and then serves both', () => {
    const { scenario, demandAt } = newSpread();
    const before = drive(scenario, { perSecond: 380, seconds: 60, demandAt });
    // One split happened in these seconds. It refused 380 requests during one second.
    expect(tableOf(scenario).splits).toBe(1);
    expect(before.refused).toEqual({ account: 0, range: 0, partition: 0, moving: 380 });
    expect(refusedIn(drive(scenario, { perSecond: 380, seconds: 60, demandAt }))).toBe(0);
  });

  it('is reported as moving during the split', () => {
    const { scenario, demandAt } = newSpread();
    while (isWhole(scenario)) drive(scenario, { perSecond: 100, seconds: 0.1, demandAt: () => burst(demandAt()) });
    expect(rangesOf(scenario).map(({ isMoving }) => isMoving)).toEqual([true, true]);
    scenario.time.advance(1_000);
    expect(rangesOf(scenario).map(({ isMoving }) => isMoving)).toEqual([false, false]);
  });

  it('that has a single partition cannot split, and is reported like that', () => {
    const scenario = newScenario(small);
    drive(scenario, { perSecond: 500, seconds: 60, demandAt: () => read('hot') });
    expect(rangesOf(scenario)).toMatchObject([{ isLone: true, ofTarget: expect.closeTo(1.25, 2) }]);
    scenario.time.advance(20_000);
    expect(rangesOf(scenario)).toMatchObject([{ isLone: false, ofTarget: 0 }]);
  });

  it('is not reported like that before its load is known', () => {
    const scenario = newScenario({ ...small, splitAfterMs: 0 });
    for (const partitionKey of ['a', 'b']) scenario.meter.admit(read(partitionKey, { units: 5_000 }));
    scenario.time.advance(1_000);
    expect(rangesOf(scenario)).toMatchObject([{ isLone: false }]);
  });
});

const isWhole = ({ report }: Scenario): boolean => (report().tables[0]?.splits ?? 0) === 0;

const burst = (demand: Demand): Demand => ({ ...demand, units: 4 });

describe('idle ranges', () => {
  /** A scenario in which a table has four ranges or more. */
  function newSplit(): Scenario {
    const { scenario, demandAt } = newSpread();
    drive(scenario, { perSecond: 1_000, seconds: 50, demandAt });
    expect(rangesOf(scenario).length).toBeGreaterThanOrEqual(4);
    return scenario;
  }

  it('merge in pairs after mergeAfterMs and the window of their load', () => {
    const scenario = newSplit();
    const count = rangesOf(scenario).length;
    for (let second = 0; second < 60; second++) {
      scenario.time.advance(1_000);
      expect(rangesOf(scenario)).toHaveLength(count);
    }
    for (let second = 0; second < 12; second++) {
      scenario.time.advance(1_000);
      scenario.report();
    }
    expect(rangesOf(scenario)).toHaveLength(Math.ceil(count / 2));
    expect(tableOf(scenario).merges).toBe(Math.floor(count / 2));
  });

  it('merge down to one while reports are requested', () => {
    const scenario = newSplit();
    for (let second = 0; second < 400; second++) {
      scenario.time.advance(1_000);
      scenario.report();
    }
    expect(rangesOf(scenario)).toMatchObject([{ from: '', before: null }]);
  });

  it('merge down to one in a night without requests, and refuse nothing in the morning', () => {
    const scenario = newSplit();
    const merges = rangesOf(scenario).length - 1;
    scenario.time.sleep(8 * 3_600_000);
    expect(refusalNow(scenario.meter, read('p50'))).toBeUndefined();
    expect(rangesOf(scenario)).toHaveLength(1);
    expect(tableOf(scenario).merges).toBe(merges);
  });

  it('merge on time without any request in between', () => {
    const scenario = newSplit();
    const count = rangesOf(scenario).length;
    scenario.time.advance(100_000);
    expect(rangesOf(scenario)).toHaveLength(Math.ceil(count / 2));
  });
});

describe('keys in order', () => {
  const key = (index: number): string => String(index).padStart(8, '0');

  it.each([
    { order: 'append-only', busiest: -1, keyAt: (index: number) => key(index) },
    { order: 'prepend-only', busiest: 0, keyAt: (index: number) => key(99_999_999 - index) },
  ])('keep hitting one range over many splits if they are $order', ({ busiest, keyAt }) => {
    const scenario = newScenario({ ...small, throttle: 'observe' });
    let index = 0;
    const goOn = (seconds: number): void => {
      drive(scenario, { perSecond: 380, seconds, demandAt: () => write(keyAt(index++)) });
    };
    goOn(100);
    // Continues until the next split, and until the load before it is no longer in the window.
    for (const before = tableOf(scenario).splits; tableOf(scenario).splits === before; ) goOn(1);
    goOn(11);
    const { splits, ranges } = tableOf(scenario);
    expect(splits).toBeGreaterThanOrEqual(4);
    const loads = ranges.map(({ unitsPerSecond }) => unitsPerSecond);
    expect(loads.at(busiest)).toBeGreaterThan(0.9 * loads.reduce((sum, load) => sum + load, 0));
  });

  it('limit the load to the target of one range', () => {
    const scenario = newScenario(small);
    let index = 0;
    drive(scenario, { perSecond: 1_000, seconds: 60, demandAt: () => write(key(index++)) });
    const tally = drive(scenario, { perSecond: 1_000, seconds: 60, demandAt: () => write(key(index++)) });
    expect(tally.accepted).toBeLessThanOrEqual(400 * 61);
    expect(tally.refused.range).toBeGreaterThan(500 * 50);
  });
});

describe('the end of a range', () => {
  it('is undefined for the last range, and the next boundary for the others', () => {
    const { scenario, demandAt } = newSpread();
    expect(scenario.meter.rangeEnd('Orders', '')).toBeUndefined();
    drive(scenario, { perSecond: 380, seconds: 30, demandAt });
    const boundary = rangesOf(scenario)[1]!.from;
    expect(scenario.meter.rangeEnd('Orders', '')).toBe(boundary);
    expect(scenario.meter.rangeEnd('ORDERS', boundary)).toBeUndefined();
  });
});
