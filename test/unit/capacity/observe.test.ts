import { describe, expect, it } from 'vitest';
import type { ThrottleMode } from '../../../src/capacity/capacity-settings.ts';
import { type Demand, isRefusal } from '../../../src/capacity/meter.ts';
import type { CapacityLimit } from '../../../src/model/capacity-use.ts';
import { admitNow, type Load, newRandom, newScenario, read, write } from './scenario.ts';

const limits: readonly CapacityLimit[] = ['account', 'range', 'partition', 'moving'];

interface Kind {
  readonly name: string;
  readonly load: Omit<Load, 'demandAt'>;
  readonly limit: CapacityLimit;
  readonly demandAt: (random: (below: number) => number) => Demand;
  /** The units that requests use in addition to the requested ones. */
  readonly beyond?: number;
}

const twoSeconds = { perSecond: 0, seconds: 20 };

/**
 * At a scale of 0.05, the target of a partition is 100 units per second, the target of a range is 400, and the target
 * of an account is 1,000.
 */
const kinds: readonly Kind[] = [
  {
    name: 'reads of one partition',
    load: { ...twoSeconds, perSecond: 150 },
    limit: 'partition',
    demandAt: () => read('hot'),
  },
  {
    name: 'reads over a fresh table',
    load: { perSecond: 900, seconds: 90 },
    limit: 'range',
    demandAt: (random) => read(`p${random(1_000)}`),
  },
  {
    name: 'reads over many tables',
    load: { ...twoSeconds, perSecond: 1_500 },
    limit: 'account',
    demandAt: (random) => read(`p${random(100)}`, { table: `Table${random(9)}` }),
  },
  {
    name: 'batches that use more than they requested',
    load: { ...twoSeconds, perSecond: 10 },
    limit: 'partition',
    demandAt: () => write('hot', { units: 50 }),
    beyond: 70,
  },
];

/** Sends requests at random moments, and carries out each that is allowed. */
function play(kind: Kind, throttle: ThrottleMode): Record<CapacityLimit, number> {
  const scenario = newScenario({ throttle, scale: 0.05 });
  const { time, meter, report } = scenario;
  const random = newRandom();
  let refused = 0;
  for (let at = 0; at < kind.load.perSecond * kind.load.seconds; at++) {
    time.advance(random(2_000_000 / kind.load.perSecond) / 1_000);
    const demand = kind.demandAt(random);
    const result = meter.admit(demand);
    if (result instanceof Promise || isRefusal(result)) refused++;
    else if (kind.beyond) result.charge(kind.beyond);
  }
  const { refusals } = report();
  if (throttle === 'observe') expect(refused).toBe(0);
  const counts = limits.map((limit) => {
    const { busy, timedOut, wouldThrottle } = refusals[limit];
    expect(throttle === 'observe' ? busy + timedOut : wouldThrottle).toBe(0);
    return [limit, busy + wouldThrottle];
  });
  return Object.fromEntries(counts);
}

describe.each(kinds)('observing $name', (kind) => {
  it('refuses nothing, and counts for each limit as many requests as enforcing refuses', () => {
    const [wouldThrottle, refused] = [play(kind, 'observe'), play(kind, 'enforce')];
    expect(refused[kind.limit]).toBeGreaterThan(0);
    for (const limit of limits) {
      expect(Math.abs(wouldThrottle[limit] - refused[limit])).toBeLessThanOrEqual(0.02 * refused[limit] + 2);
    }
  });
});

describe('a query that would have been refused', () => {
  it('takes nothing from the budget of queries that would not have been refused', () => {
    const { time, meter, report } = newScenario({ throttle: 'observe' });
    meter.admit(write('p', { units: 2_000 }));
    const admission = admitNow(meter, write('p', { units: 100 }));
    time.advance(40);
    admission.charge(900);
    admission.chargePage()!({ units: 900, parts: [{ partitionKey: 'p', units: 900, partitionUnits: 900 }] });
    time.advance(10);
    expect(report().refusals.partition.wouldThrottle).toBe(1);
    meter.admit(write('p', { units: 100 }));
    expect(report().refusals.partition.wouldThrottle).toBe(1);
  });
});
