import { describe, expect, it } from 'vitest';
import type { RefusalSecond } from '../../../src/capacity/refusal-journal.ts';
import { account, newScenario, read, write } from './scenario.ts';

/**
 * Simulates ten seconds of load. In each second, one partition gets 1,200 units, another partition gets 300 units, and
 * another table gets 100 units. At the end, the first partition gets one more request, which is refused.
 */
function play() {
  const seconds: RefusalSecond[] = [];
  const scenario = newScenario({ onRefusals: (second) => seconds.push(second) });
  const { meter, time } = scenario;
  for (let second = 0; second < 10; second++) {
    meter.admit(write('a', { units: 1_200 }));
    meter.admit(read('b', { units: 300 }));
    meter.admit(read('c', { table: 'Customers', units: 100 }));
    if (second < 9) time.advance(1_000);
  }
  meter.admit(read('a', { units: 1_500 }));
  time.advance(500);
  return { ...scenario, seconds };
}

describe('the report', () => {
  it('has loads, shares and refusals', () => {
    const { capacity } = play();
    const report = capacity.report();
    expect(report).toMatchObject({
      throttle: 'enforce',
      scale: 1,
      targets: { account: 20_000, range: 8_000, partition: 2_000 },
      queueLength: 0,
    });
    expect(report.recentRefusals).toEqual([
      {
        secondsAgo: 0,
        refused: 1,
        wouldThrottle: 0,
        pagesCut: 0,
        places: [{ account, table: 'Orders', partitionKey: 'a', limit: 'partition', requests: 1 }],
      },
    ]);
    expect(report.accounts).toHaveLength(1);
    expect(report.accounts[0]).toMatchObject({
      account,
      units: 17_500,
      unitsPerSecond: 17_500 / 9.5,
      budget: 20_000,
      waiting: 0,
      pagesCut: 0,
      tablesLeftOut: 0,
      refusals: {
        partition: { busy: 1, timedOut: 0, wouldThrottle: 0 },
        account: { busy: 0, timedOut: 0, wouldThrottle: 0 },
      },
    });
  });

  it('has the busiest tables first, with their ranges', () => {
    const { report } = play();
    const unitsPerSecond = 16_500 / 9.5;
    const range = { from: '', before: null, isMoving: false, isLone: false };
    const figures = { keyPattern: null, splits: 0, merges: 0 };
    expect(report().tables).toEqual([
      {
        ...figures,
        table: 'Orders',
        units: 16_500,
        unitsPerSecond,
        ranges: [{ ...range, unitsPerSecond, ofTarget: unitsPerSecond / 8_000, refused: 1 }],
      },
      {
        ...figures,
        table: 'Customers',
        units: 1_000,
        unitsPerSecond: 1_000 / 9.5,
        ranges: [{ ...range, unitsPerSecond: 1_000 / 9.5, ofTarget: 1_000 / 9.5 / 8_000, refused: 0 }],
      },
    ]);
  });

  it('has the heaviest partitions first', () => {
    const { report } = play();
    const rate = (units: number): { unitsPerSecond: number; ofTarget: number } => ({
      unitsPerSecond: units / 9.5,
      ofTarget: units / 9.5 / 2_000,
    });
    expect(report().hotPartitions).toEqual([
      { table: 'Orders', partitionKey: 'a', refused: 1, ...rate(13_500) },
      { table: 'Orders', partitionKey: 'b', refused: 0, ...rate(3_000) },
      { table: 'Customers', partitionKey: 'c', refused: 0, ...rate(1_000) },
    ]);
  });

  it('can be JSON, and does not change later', () => {
    const { capacity, meter } = play();
    const report = capacity.report();
    const before = JSON.stringify(report);
    expect(JSON.parse(before)).toEqual(report);
    for (let at = 0; at < 10; at++) meter.admit(read('a', { units: 1_500 }));
    expect(JSON.stringify(report)).toBe(before);
  });

  it('says how many tables it omits', () => {
    const { meter, report } = newScenario();
    for (let at = 0; at < 130; at++) meter.admit(read('p', { table: `Table${at}` }));
    expect(report().tables).toHaveLength(100);
    expect(report().tablesLeftOut).toBe(30);
  });

  it('is sent for every second in which a request was refused', () => {
    const { time, seconds } = play();
    expect(seconds).toEqual([]);
    time.advance(500);
    expect(seconds).toMatchObject([{ refused: 1, secondsAgo: 1 }]);
  });
});
