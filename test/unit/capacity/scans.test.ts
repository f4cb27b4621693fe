import { describe, expect, it } from 'vitest';
import { isRefusal, type Usage } from '../../../src/capacity/meter.ts';
import { admitNow, drive, newScenario, read, refusalNow, refusedAs, type Scenario } from './scenario.ts';

/** The usage of a scan that visits these neighbouring partitions, which are large. */
const stretch = (units: number, ...keys: readonly string[]): Usage => ({
  units: units * keys.length,
  parts: keys.map((partitionKey) => ({ partitionKey, units, partitionUnits: units })),
});

/**
 * Reads a page of a scan. `from` is the partition at which the page begins. By default, the page begins at the
 * beginning of the table. Returns how the page ended.
 */
function scan({ meter }: Scenario, usage: Usage, from = ''): 'refused' | 'cut' | 'whole' {
  const result = meter.admit(read(from, { isPinned: false }));
  if (result instanceof Promise || isRefusal(result)) return 'refused';
  return result.chargePage()!(usage) ? 'whole' : 'cut';
}

const busy = { outcome: 'busy', limit: 'partition' } as const;

describe('a scan of a table', () => {
  it('is cut at a partition over its target, and then refused there, like a query of that partition', () => {
    const scenario = newScenario();
    expect(scan(scenario, stretch(3_000, 'a'))).toBe('cut');
    expect(scan(scenario, stretch(1, 'a'))).toBe('refused');
    expect(scan(scenario, stretch(1, 'a'), 'a')).toBe('refused');
    expect(refusalNow(scenario.meter, read('a'))).toEqual(busy);
    expect(scan(scenario, stretch(1, 'b'), 'b')).toBe('whole');
    scenario.time.advance(501);
    expect(scan(scenario, stretch(1, 'a'))).toBe('whole');
  });

  it('is not refused because of a partition that it has left', () => {
    const scenario = newScenario();
    scan(scenario, stretch(2_100, 'a'));
    expect(scan(scenario, stretch(1, 'b'))).toBe('refused');
    scenario.time.advance(100);
    expect(scan(scenario, stretch(1, 'b'))).toBe('whole');
    scenario.meter.admit(read('a', { units: 2_000 }));
    expect(scan(scenario, stretch(1, 'b'))).toBe('whole');
  });

  it('adds nothing to the debt of a partition that it reaches later', () => {
    const scenario = newScenario({ rangeTarget: 1_000_000, accountTarget: 1_000_000 });
    for (let at = 0; at < 100; at++)
      expect(scan(scenario, stretch(50, 'a', 'b'), `a${at}`)).toBe(at < 39 ? 'whole' : 'cut');
    scenario.time.advance(26);
    expect(refusalNow(scenario.meter, read('b'))).toBeUndefined();
  });

  it('that takes many turns gets no more than the target of a partition', () => {
    const scenario = newScenario();
    let read = 0;
    for (let ms = 0; ms < 60_000; ms += 5) {
      if (scan(scenario, stretch(200, 'a')) !== 'refused') read += 200;
      scenario.time.advance(5);
    }
    expect(read).toBeGreaterThan(60 * 1_950);
    expect(read).toBeLessThan(61 * 2_000 + 400);
  });

  it('counts as a request that the service would have refused, if throttling only observes', () => {
    const seconds: unknown[] = [];
    const scenario = newScenario({ throttle: 'observe', onRefusals: (second) => seconds.push(second) });
    for (let at = 0; at < 10; at++) expect(scan(scenario, stretch(1_000, 'a'))).toBe('whole');
    const { refusals, pagesCut, hotPartitions } = scenario.report();
    expect(pagesCut + refusals.partition.wouldThrottle).toBe(9);
    expect(refusals.partition.wouldThrottle).toBeGreaterThan(0);
    expect(hotPartitions[0]).toMatchObject({ partitionKey: 'a', refused: refusals.partition.wouldThrottle });
    scenario.time.advance(1_000);
    const place = {
      table: 'Orders',
      partitionKey: 'a',
      limit: 'partition',
      requests: refusals.partition.wouldThrottle,
    };
    expect(seconds).toMatchObject([
      { refused: 0, wouldThrottle: refusals.partition.wouldThrottle, pagesCut, places: [place] },
    ]);
  });

  it('is charged to each range for its entities', () => {
    const scenario = newScenario({ scale: 0.05 });
    const keys = Array.from({ length: 100 }, (_, at) => `p${String(at).padStart(2, '0')}`);
    drive(scenario, { perSecond: 390, seconds: 60, demandAt: (at) => read(keys[(at * 37) % 100] as string) });
    const { ranges } = scenario.report().tables[0]!;
    expect(ranges.length).toBeGreaterThan(1);
    scenario.time.advance(11_000);
    scan(scenario, stretch(1, ...keys));
    const loads = scenario.report().tables[0]!.ranges.map(({ from, before, unitsPerSecond }) => {
      const held = keys.filter((key) => key >= from && (before === null || key < before)).length;
      return unitsPerSecond / held;
    });
    for (const load of loads) expect(load).toBeCloseTo(loads[0] as number, 6);
  });
});

describe('a table that is emptied', () => {
  it('has no debt, and no hot partition', () => {
    const scenario = newScenario();
    admitNow(scenario.meter, read('a', { units: 5_000 }));
    admitNow(scenario.meter, read('a', { table: 'Others', units: 5_000 }));
    expect(refusalNow(scenario.meter, read('a'))).toEqual(busy);
    scenario.meter.forgetTable('ORDERS');
    expect(scenario.report().hotPartitions.map(({ table }) => table)).toEqual(['Others']);
    expect(refusalNow(scenario.meter, read('a'))).toBeUndefined();
    expect(refusalNow(scenario.meter, read('a', { table: 'Others' }))).toEqual(busy);
  });
});

describe('an account that is removed while requests wait', () => {
  it('refuses them, and they count in the totals', async () => {
    const { capacity, meter } = newScenario({ queueLength: 5 });
    meter.admit(read('a', { units: 5_000 }));
    const waiting = [1, 2, 3].map(() => meter.admit(read('a')));
    capacity.forget('devstoreaccount1');
    expect((await Promise.all(waiting)).map(refusedAs)).toEqual([busy, busy, busy]);
    expect(capacity.totals()).toMatchObject({ units: 5_003, refusals: { partition: { busy: 3 } } });
  });
});

describe('a model that is closed', () => {
  it('refuses waiting requests, makes no call and leaves no timer', async () => {
    const seconds: unknown[] = [];
    const { capacity, meter, time } = newScenario({ queueLength: 5, onRefusals: (second) => seconds.push(second) });
    meter.admit(read('a', { units: 5_000 }));
    const waiting = meter.admit(read('a'));
    capacity.close();
    expect(refusedAs(await waiting)).toEqual(busy);
    expect(time.pending).toBe(0);
    time.advance(5_000);
    expect(seconds).toEqual([]);
  });
});
