import { Capacity, type CapacityOptions } from '../../../src/capacity/capacity.ts';
import type { AccountReport } from '../../../src/capacity/capacity-report.ts';
import type { Demand, Meter } from '../../../src/capacity/meter.ts';
import type { Limit, Throttled } from '../../../src/capacity/throttled.ts';
import { defaultSettings } from '../../../src/settings/settings.ts';
import { FakeTimers } from './fake-timers.ts';

export const account = 'devstoreaccount1';

export interface Scenario {
  readonly timers: FakeTimers;
  readonly capacity: Capacity;
  readonly meter: Meter;
  readonly report: () => AccountReport;
}

/** A model that refuses at once what it would refuse, unless told otherwise. */
export function newScenario(options: Partial<CapacityOptions> = {}): Scenario {
  const timers = new FakeTimers();
  const capacity = new Capacity({
    ...defaultSettings.capacity,
    throttle: 'enforce',
    queueLength: 0,
    timers,
    ...options,
  });
  const report = (): AccountReport => capacity.report().accounts.find((one) => one.account === account)!;
  return { timers, capacity, meter: capacity.meter(account), report };
}

export function read(partitionKey: string, changes: Partial<Demand> = {}): Demand {
  return { table: 'Orders', partitionKey, isPinned: true, isWrite: false, units: 1, waitMsMax: 30_000, ...changes };
}

export const write = (partitionKey: string, changes: Partial<Demand> = {}): Demand =>
  read(partitionKey, { isWrite: true, ...changes });

/** The answer to a demand that does not wait. */
export function admitNow(meter: Meter, demand: Demand): Throttled | undefined {
  const outcome = meter.admit(demand);
  if (outcome instanceof Promise) throw new Error('it waits');
  return outcome;
}

export interface Load {
  readonly perSecond: number;
  readonly seconds: number;
  readonly demandAt: (index: number) => Demand;
}

export interface Tally {
  accepted: number;
  readonly refused: Record<Limit, number>;
}

export const refusedIn = ({ refused }: Tally): number => Object.values(refused).reduce((sum, count) => sum + count, 0);

/** Requests evenly over time, whatever the answers; counts these. Each comes at the end of its part of the time. */
export function drive({ timers, meter }: Scenario, { perSecond, seconds, demandAt }: Load): Tally {
  const tally: Tally = { accepted: 0, refused: { account: 0, range: 0, partition: 0, moving: 0 } };
  const fromUs = timers.nowUs();
  for (let index = 1; index <= perSecond * seconds; index++) {
    timers.advanceTo(fromUs + Math.ceil((index * 1_000_000) / perSecond));
    const throttled = admitNow(meter, demandAt(index));
    if (throttled) tally.refused[throttled.limit]++;
    else tally.accepted++;
  }
  return tally;
}

/** Gives numbers from 0 on and below a bound, the same ones every time. */
export function newRandom(): (below: number) => number {
  let seed = 42;
  return (below) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
}
