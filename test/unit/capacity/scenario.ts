import { Capacity, type CapacityOptions } from '../../../src/capacity/capacity.ts';
import type { AccountReport } from '../../../src/capacity/capacity-report.ts';
import { type Admission, type Demand, isRefusal, type Meter, type Refusal } from '../../../src/capacity/meter.ts';
import type { CapacityLimit } from '../../../src/model/capacity-use.ts';
import { defaultSettings } from '../../../src/settings/settings.ts';
import { ManualTime } from '../../support/manual-time.ts';

export const account = 'devstoreaccount1';

export interface Scenario {
  readonly time: ManualTime;
  readonly capacity: Capacity;
  readonly meter: Meter;
  readonly report: () => AccountReport;
}

/** A capacity model without a queue, which enforces its targets. `options` may change this. */
export function newScenario(options: Partial<CapacityOptions> = {}): Scenario {
  const time = new ManualTime();
  const times = { time, machineTime: time };
  const model = { ...defaultSettings.capacity, throttle: 'enforce', queueLength: 0 } as const;
  const capacity = new Capacity({ ...model, ...times, ...options });
  const report = (): AccountReport => capacity.report().accounts.find((one) => one.account === account)!;
  return { time, capacity, meter: capacity.meter(account), report };
}

export function read(partitionKey: string, changes: Partial<Demand> = {}): Demand {
  return { table: 'Orders', partitionKey, isPinned: true, units: 1, waitMsMax: 30_000, ...changes };
}

export const write = (partitionKey: string, changes: Partial<Demand> = {}): Demand =>
  read(partitionKey, { ...changes });

/** The members of a refusal that tests check. */
export type RefusedAs = Pick<Refusal, 'outcome' | 'limit'>;

/** How a demand for units is refused, or undefined if it is admitted. Throws if it waits. */
export function refusalNow(meter: Meter, demand: Demand): RefusedAs | undefined {
  const result = meter.admit(demand);
  if (result instanceof Promise) throw new Error('the demand waits');
  return refusedAs(result);
}

export function refusedAs(result: Admission | Refusal): RefusedAs | undefined {
  return isRefusal(result) ? { outcome: result.outcome, limit: result.limit } : undefined;
}

/** Admits a demand for units. Throws if it is refused or waits. */
export function admitNow(meter: Meter, demand: Demand): Admission {
  const result = meter.admit(demand);
  if (result instanceof Promise || isRefusal(result)) throw new Error('the demand is not admitted immediately');
  return result;
}

export interface Load {
  readonly perSecond: number;
  readonly seconds: number;
  readonly demandAt: (index: number) => Demand;
}

export interface Tally {
  accepted: number;
  readonly refused: Record<CapacityLimit, number>;
}

export const refusedIn = ({ refused }: Tally): number => Object.values(refused).reduce((sum, count) => sum + count, 0);

/** Sends demands evenly over time, each at the end of its interval, and counts their outcomes. */
export function drive({ time, meter }: Scenario, { perSecond, seconds, demandAt }: Load): Tally {
  const tally: Tally = { accepted: 0, refused: { account: 0, range: 0, partition: 0, moving: 0 } };
  const fromMs = time.monotonicMs();
  for (let index = 1; index <= perSecond * seconds; index++) {
    time.advanceTo(fromMs + Math.ceil((index * 1_000_000) / perSecond) / 1_000);
    const refusal = refusalNow(meter, demandAt(index));
    if (refusal) tally.refused[refusal.limit]++;
    else tally.accepted++;
  }
  return tally;
}

/** A generator of whole numbers below a bound. It gives the same numbers in every run. */
export function newRandom(): (below: number) => number {
  let seed = 42;
  return (below) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
}
