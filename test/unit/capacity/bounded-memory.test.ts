import { describe, expect, it } from 'vitest';
import { AccountCapacity, newTotals } from '../../../src/capacity/account-capacity.ts';
import { microsecondsOf } from '../../../src/capacity/token-buckets.ts';
import { ManualTime } from '../../support/manual-time.ts';
import { newScenario, read, refusedAs, write } from './scenario.ts';

function newAccount() {
  const time = new ManualTime();
  const account = new AccountCapacity({
    targets: { account: 20_000, range: 8_000, partition: 2_000 },
    rules: { target: 8_000, splitAfterUs: 15_000_000, mergeAfterUs: 60_000_000, moveUs: 1_000_000 },
    isEnforced: false,
    queueLength: 0,
    waitMsMax: 5_000,
    time,
    machineTime: time,
    totals: newTotals(),
    onRefused: () => undefined,
    onPageCut: () => undefined,
    onReleased: () => undefined,
  });
  return { time, account };
}

describe('the memory of an account', () => {
  it('contains at most 1,024 of any number of tables, including one that stays in use', () => {
    const { time, account } = newAccount();
    for (let at = 0; at < 100_000; at++) {
      account.admit(read('p', { table: `Table${at}` }));
      if (at % 50 === 0) account.admit(read('p', { table: 'Orders' }));
      time.advanceTo(at * 100);
    }
    const tables = [...account.usage.tables];
    expect(tables).toHaveLength(1_024);
    expect(tables.find(({ name }) => name === 'Orders')?.units).toBe(2_000);
  });

  it('contains at most 1,024 tables even if all are in use', () => {
    const { account } = newAccount();
    for (let at = 0; at < 3_000; at++) account.admit(read('p', { table: `Table${at}` }));
    expect([...account.usage.tables]).toHaveLength(1_024);
  });

  it('contains 128 ranges of a table that always gets new partition keys, and finds a hot partition', () => {
    const { time, account } = newAccount();
    for (let at = 0; at < 200_000; at++) {
      account.admit(write(String(at).padStart(9, '0'), { units: 100 }));
      if (at % 20 === 0) account.admit(write('hot', { units: 200 }));
      time.advanceTo(at * 15);
    }
    const [table] = account.usage.tables;
    expect(table!.ranges.list(microsecondsOf(time)).length).toBeLessThanOrEqual(128);
    const hot = account.usage.heaviestPartitions(10_000, microsecondsOf(time));
    expect(hot[0]).toMatchObject({ table: 'Orders', partitionKey: 'hot' });
    expect(hot.length).toBeLessThanOrEqual(2_048);
  });
});

describe('the memory of the model', () => {
  it('contains at most 1,024 of any number of accounts, even if all are in use', () => {
    const { capacity, time } = newScenario();
    for (let at = 0; at < 100_000; at++) {
      capacity.meter(`account${at}`).admit(read('p'));
      if (at % 10_000 === 0) time.advance(1_000);
    }
    const { accounts, accountsLeftOut } = capacity.report();
    expect(accounts.length + accountsLeftOut).toBe(1_024);
  });

  it('keeps the account that is in use among idle ones', () => {
    const { capacity, time } = newScenario();
    for (let at = 0; at < 5_000; at++) {
      capacity.meter('busy').admit(read('p'));
      capacity.meter(`account${at}`).admit(read('p'));
      time.advance(20);
    }
    expect(capacity.report('busy').accounts[0]?.units).toBe(5_000);
  });

  it('refuses the waiting requests of an evicted account', async () => {
    const { capacity } = newScenario({ queueLength: 1 });
    const outcomes: unknown[] = [];
    for (let at = 0; at < 1_100; at++) {
      const meter = capacity.meter(`account${at}`);
      meter.admit(read('p', { units: 2_000 }));
      Promise.resolve(meter.admit(read('p'))).then((result) => outcomes.push(refusedAs(result)));
    }
    await new Promise((resolve) => setImmediate(resolve));
    // One of the accounts is the account of the scenario.
    expect(outcomes.length).toBeGreaterThanOrEqual(1_100 - 1_024);
    expect(outcomes.length).toBeLessThanOrEqual(1_101 - 1_024);
    expect(outcomes).toEqual(outcomes.map(() => ({ outcome: 'busy', limit: 'partition' })));
  });
});
