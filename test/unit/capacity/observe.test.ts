import { describe, expect, it } from 'vitest';
import type { ThrottleMode } from '../../../src/capacity/capacity-settings.ts';
import type { Demand } from '../../../src/capacity/meter.ts';
import type { Limit } from '../../../src/capacity/throttled.ts';
import { type Load, newRandom, newScenario, read, write } from './scenario.ts';

const limits: readonly Limit[] = ['account', 'range', 'partition', 'moving'];

interface Kind {
  readonly name: string;
  readonly load: Omit<Load, 'demandAt'>;
  readonly limit: Limit;
  readonly demandAt: (random: (below: number) => number) => Demand;
  /** Units beyond those asked for. */
  readonly beyond?: number;
}

const twoSeconds = { perSecond: 0, seconds: 20 };

/** At a scale of 0.05: a partition carries 100 a second, a range 400, an account 1,000. */
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
    name: 'batches that come to more than they asked for',
    load: { ...twoSeconds, perSecond: 10 },
    limit: 'partition',
    demandAt: () => write('hot', { units: 50 }),
    beyond: 70,
  },
];

/** Requests at random moments, each carried out where it may run. */
function play(kind: Kind, throttle: ThrottleMode): Record<Limit, number> {
  const scenario = newScenario({ throttle, scale: 0.05 });
  const { timers, meter, report } = scenario;
  const random = newRandom();
  let told = 0;
  for (let at = 0; at < kind.load.perSecond * kind.load.seconds; at++) {
    timers.advanceTo(timers.nowUs() + random(2_000_000 / kind.load.perSecond));
    const demand = kind.demandAt(random);
    const throttled = meter.admit(demand);
    if (throttled) told++;
    else if (kind.beyond) meter.charge(demand, kind.beyond);
  }
  const { refusals } = report();
  if (throttle === 'observe') expect(told).toBe(0);
  const counts = limits.map((limit) => {
    const { busy, timedOut, spared } = refusals[limit];
    expect(throttle === 'observe' ? busy + timedOut : spared).toBe(0);
    return [limit, busy + spared];
  });
  return Object.fromEntries(counts);
}

describe.each(kinds)('observing $name', (kind) => {
  it('refuses nothing, and spares what enforcing refuses for the same limit', () => {
    const [spared, refused] = [play(kind, 'observe'), play(kind, 'enforce')];
    expect(refused[kind.limit]).toBeGreaterThan(0);
    for (const limit of limits) {
      expect(Math.abs(spared[limit] - refused[limit])).toBeLessThanOrEqual(0.02 * refused[limit] + 2);
    }
  });
});

describe('a query that would have been refused', () => {
  it('takes nothing from the budget of those that would not', () => {
    const { timers, meter, report } = newScenario({ throttle: 'observe' });
    meter.admit(write('p', { units: 2_000 }));
    const demand = write('p', { units: 100 });
    meter.admit(demand);
    timers.advance(40);
    meter.charge(demand, 900);
    meter.visits(demand)!({ units: 900, parts: [{ partitionKey: 'p', units: 900, partitionUnits: 900 }] });
    timers.advance(10);
    expect(report().refusals.partition.spared).toBe(1);
    meter.admit(write('p', { units: 100 }));
    expect(report().refusals.partition.spared).toBe(1);
  });
});
