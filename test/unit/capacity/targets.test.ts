import { describe, expect, it } from 'vitest';
import { targetsOf } from '../../../src/capacity/capacity-settings.ts';
import type { Demand } from '../../../src/capacity/meter.ts';
import { defaultSettings } from '../../../src/settings/settings.ts';
import { drive, newScenario, read, refusalNow, refusedIn, type Scenario } from './scenario.ts';

const onePartition = (): Demand => read('hot');

/** Demands spread over 100 partitions of each of five tables, so that no range gets near its target. */
const overTables = (index: number): Demand => read(`p${index % 100}`, { table: `Table${index % 5}` });

const overPartitions = (index: number): Demand => read(`p${index % 100}`);

/** Empties the buckets while time is frozen. */
function drain(scenario: Scenario, demandAt: (index: number) => Demand, units: number): void {
  let admitted = 0;
  while (admitted < units && !refusalNow(scenario.meter, demandAt(admitted))) admitted++;
  expect(admitted).toBe(units);
  expect(refusalNow(scenario.meter, demandAt(units))).toBeDefined();
}

describe.each([1, 0.05, 0.01, 0.07])('a target at scale %d', (scale) => {
  const partition = Math.round(2_000 * scale);
  const accountTarget = Math.round(20_000 * scale);
  const range = Math.round(8_000 * scale);
  // At a scale of 1, ten seconds have enough requests.
  const seconds = scale === 1 ? 10 : 60;

  it('is a whole number', () => {
    expect(targetsOf({ ...defaultSettings.capacity, throttle: 'observe', scale })).toEqual({
      account: accountTarget,
      range,
      partition,
    });
  });

  it('is reached exactly on one partition for a minute, from an empty bucket', () => {
    const scenario = newScenario({ scale });
    drain(scenario, onePartition, partition);
    expect(refusedIn(drive(scenario, { perSecond: partition, seconds: 60, demandAt: onePartition }))).toBe(0);
    expect(refusalNow(scenario.meter, onePartition())).toEqual({ outcome: 'busy', limit: 'partition' });
  });

  it('refuses a load that is a twentieth higher on one partition within 30 s', () => {
    const scenario = newScenario({ scale });
    drain(scenario, onePartition, partition);
    const tally = drive(scenario, { perSecond: partition * 1.05, seconds: 30, demandAt: onePartition });
    expect(tally.refused.partition).toBeGreaterThan(0);
    expect(tally.accepted).toBeLessThanOrEqual(partition * 30);
    expect(tally.accepted).toBeGreaterThan(partition * 29);
    expect(tally.refused.partition).toBe(refusedIn(tally));
  });

  it('is reached exactly over the tables of an account, from an empty bucket', () => {
    const scenario = newScenario({ scale });
    drain(scenario, overTables, accountTarget);
    const tally = drive(scenario, { perSecond: accountTarget, seconds, demandAt: overTables });
    expect(refusedIn(tally)).toBe(0);
    expect(refusalNow(scenario.meter, overTables(0))).toEqual({ outcome: 'busy', limit: 'account' });
  });

  it('refuses a load that is a twentieth higher over the tables of an account', () => {
    const scenario = newScenario({ scale });
    drain(scenario, overTables, accountTarget);
    const tally = drive(scenario, { perSecond: accountTarget * 1.05, seconds: 10, demandAt: overTables });
    expect(tally.refused.account).toBeGreaterThan(0);
    expect(tally.refused.account).toBe(refusedIn(tally));
    expect(tally.accepted).toBeLessThanOrEqual(accountTarget * 10);
  });

  it('is reached by the account within one table if its range carries more', () => {
    const scenario = newScenario({ scale, rangeTarget: 1_000_000 });
    drain(scenario, overPartitions, accountTarget);
    expect(refusedIn(drive(scenario, { perSecond: accountTarget, seconds: 5, demandAt: overPartitions }))).toBe(0);
    const more = drive(scenario, { perSecond: accountTarget * 1.05, seconds: 5, demandAt: overPartitions });
    expect(more.refused.account).toBeGreaterThan(0);
  });
});

describe('time', () => {
  const drained = (): Scenario => {
    const scenario = newScenario();
    drain(scenario, onePartition, 2_000);
    return scenario;
  };

  it('admits the units of one second immediately after an idle time, and refuses more', () => {
    const scenario = drained();
    scenario.time.advance(60_000);
    drain(scenario, onePartition, 2_000);
  });

  it('refills the bucket at the rate of the target', () => {
    const scenario = drained();
    for (const ms of [0.5, 1, 10, 500]) {
      scenario.time.advance(ms);
      drain(scenario, onePartition, 2 * ms);
    }
  });

  it('adds only whole units to the bucket', () => {
    const scenario = drained();
    scenario.time.advance(0.499);
    expect(refusalNow(scenario.meter, onePartition())).toBeDefined();
    scenario.time.advance(0.001);
    expect(refusalNow(scenario.meter, onePartition())).toBeUndefined();
  });

  it('refuses nothing within the budget while it is frozen', () => {
    const scenario = newScenario();
    drain(scenario, onePartition, 2_000);
    expect(refusalNow(scenario.meter, read('cool'))).toBeUndefined();
  });

  it('refuses nothing when it jumps ahead by a day', () => {
    const scenario = drained();
    scenario.time.sleep(86_400_000);
    drain(scenario, onePartition, 2_000);
    expect(refusedIn(drive(scenario, { perSecond: 2_000, seconds: 5, demandAt: onePartition }))).toBe(0);
  });
});
