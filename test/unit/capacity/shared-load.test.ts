import { describe, expect, it } from 'vitest';
import { Capacity } from '../../../src/capacity/capacity.ts';
import { LoadExchange } from '../../../src/capacity/load-exchange.ts';
import { isRefusal } from '../../../src/capacity/meter.ts';
import { type Spent, SpentUnits } from '../../../src/capacity/spent-units.ts';
import { defaultSettings } from '../../../src/settings/settings.ts';
import { ManualTime } from '../../support/manual-time.ts';

/** Several nodes, which exchange their loads without delay. */
class Board {
  readonly #said = new Map<object, string>();

  share(node: object): (load: string) => Promise<readonly string[]> {
    return async (load) => {
      this.#said.set(node, load);
      return [...this.#said].filter(([other]) => other !== node).map(([, said]) => said);
    };
  }
}

const demand = (partitionKey: string, units = 1) =>
  ({ table: 'Pets', partitionKey, isPinned: true, units, waitMsMax: 0 }) as const;

async function twoNodes(throttle: 'observe' | 'enforce') {
  const time = new ManualTime();
  const board = new Board();
  const open = () => {
    const settings = { ...defaultSettings.capacity, queueLength: 0 };
    const capacity = new Capacity({ ...settings, throttle, time, machineTime: time, isShared: true });
    const take = () => capacity.takeSpent();
    const onSpent = (spent: Spent) => capacity.spendElsewhere(spent);
    return { capacity, exchange: new LoadExchange({ time, share: board.share(capacity), take, onSpent }) };
  };
  const [one, other] = [open(), open()];
  /** Lets a second pass, in which the nodes exchange their loads. */
  const pass = async (): Promise<void> => {
    time.advance(1_000);
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };
  return { one: one.capacity, other: other.capacity, pass, exchanges: [one.exchange, other.exchange] };
}

describe('The load of several nodes', () => {
  it('is in the report of each node, for the account, its tables, ranges and partitions', async () => {
    const { one, other, pass } = await twoNodes('observe');
    for (let at = 0; at < 50; at++) await one.meter('mine').admit(demand('hot', 4));
    await other.meter('mine').admit(demand('cold'));
    await pass();
    await pass();
    for (const capacity of [one, other]) {
      const [account] = capacity.report().accounts;
      expect(account).toMatchObject({ account: 'mine', units: 201 });
      expect(account?.tables).toMatchObject([{ table: 'Pets', units: 201 }]);
      expect(account?.hotPartitions[0]).toMatchObject({ table: 'Pets', partitionKey: 'hot' });
    }
    expect([one.totals().units, other.totals().units]).toEqual([200, 1]);
  });

  it('is counted once, however often a node receives it', async () => {
    const { one, other, pass } = await twoNodes('observe');
    await one.meter('mine').admit(demand('p', 7));
    for (let second = 0; second < 6; second++) await pass();
    expect(other.report().accounts[0]?.units).toBe(7);
    expect(one.report().accounts[0]?.units).toBe(7);
  });

  it('is taken from the budget of each node, so that together they serve as much as one node', async () => {
    const { one, other, pass } = await twoNodes('enforce');
    const { partitionTarget } = defaultSettings.capacity;
    let admitted = 0;
    const seconds = 20;
    for (let second = 0; second < seconds; second++) {
      for (const capacity of [one, other]) {
        for (let at = 0; at < 40; at++) {
          const ended = await capacity.meter('mine').admit(demand('hot', partitionTarget / 20));
          if (!isRefusal(ended)) admitted += partitionTarget / 20;
        }
      }
      await pass();
    }
    // Each node begins with a full budget, and learns of the other's load a second late.
    expect(admitted).toBeGreaterThan(partitionTarget * (seconds - 2));
    expect(admitted).toBeLessThan(partitionTarget * (seconds + 4));
  });

  it('is not sent after the model was closed', async () => {
    const { one, other, pass, exchanges } = await twoNodes('observe');
    for (const exchange of exchanges) exchange.close();
    await one.meter('mine').admit(demand('p'));
    await pass();
    expect(other.report().accounts).toEqual([]);
  });
});

describe('The load that a node sends', () => {
  it('is bounded: it has the heaviest places, and a sum for the others in each account', () => {
    const spent = new SpentUnits();
    const account = spent.account('mine');
    for (let at = 0; at < 5_000; at++) {
      account.addAt('Pets', {
        partitionKey: `${at}`.padStart(500, 'x'),
        units: at === 2_500 ? 100 : 1,
        isPartition: true,
      });
    }
    const [[, parts] = ['', []]] = spent.take();
    expect(JSON.stringify(parts).length).toBeLessThan(200_000);
    expect(parts[0]).toMatchObject({ table: 'Pets', units: 100 });
    expect(parts.at(-1)).not.toHaveProperty('table');
    expect(parts.reduce((sum, { units }) => sum + units, 0)).toBe(5_099);
    expect(spent.take()).toEqual([]);
  });
});
