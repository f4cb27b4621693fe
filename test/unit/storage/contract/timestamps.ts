import { expect, it } from 'vitest';
import type { Ticks } from '../../../../src/model/ticks.ts';
import { formatTicks, ticksFromMs, ticksMax } from '../../../../src/model/ticks.ts';
import {
  contentsOf,
  entitiesOf,
  insertion,
  keyOf,
  tableNamed,
  texts,
  ticksOf,
  write,
} from '../../../support/entities.ts';
import type { Given } from './given.ts';

const key = keyOf('cats', 'tom');
const upsert = { kind: 'insertOrReplace', ...key, properties: texts({ Value: 'x' }) } as const;

function expectIncreasing(ticks: readonly Ticks[]): void {
  for (const [index, value] of ticks.entries()) {
    const previous = ticks[index - 1];
    if (previous !== undefined) expect(value > previous, `${value} comes after ${previous}`).toBe(true);
  }
}

export function describeTimestamps(given: () => Given): void {
  it('promise 5: the timestamp of a write is the time of the clock', async () => {
    const { account, time } = given();
    await account.createTable(tableNamed('Pets'));
    time.advance(1500);
    expect(ticksOf(await write(account, 'Pets', upsert))).toBe(ticksFromMs(time.nowMs()));
  });

  it('promise 5: timestamps increase while the clock is frozen, even within an apply', async () => {
    const { account } = given();
    const created = await account.createTable(tableNamed('Pets'));
    const ticks = [created.kind === 'created' ? ticksOf(created.table.createdAt) : 0n];
    for (let round = 0; round < 5; round++) {
      const mutations = ['a', 'b', 'c'].map((rowKey) => ({ ...upsert, ...keyOf('cats', rowKey) }));
      const outcome = await account.apply('Pets', mutations);
      ticks.push(...entitiesOf(outcome).map(({ timestamp }) => ticksOf(timestamp)));
    }
    expectIncreasing(ticks);
  });

  it('promise 5: timestamps increase when the clock steps back', async () => {
    const { account, time } = given();
    await account.createTable(tableNamed('Pets'));
    const ticks: Ticks[] = [];
    for (const step of [0, -1, -3_600_000, 1, 86_400_000, -86_400_000]) {
      time.stepDate(step);
      ticks.push(ticksOf(await write(account, 'Pets', upsert)));
    }
    expectIncreasing(ticks);
  });

  it('promise 5: a clock after the year 9999 gives increasing timestamps on its last day', async () => {
    const { account, time } = given();
    await account.createTable(tableNamed('Pets'));
    const ticks = [ticksOf(await write(account, 'Pets', upsert))];
    const thousandYearsMs = 1000 * 365 * 86_400_000;
    time.stepDate(9 * thousandYearsMs);
    const created = await account.createTable(tableNamed('Plants'));
    expect(created).toMatchObject({ table: { createdAt: expect.stringMatching(/^9999-12-31T/) } });
    const saved = await account.saveSnapshot({ name: 'late', table: 'Plants' });
    expect(saved).toMatchObject({ snapshot: { savedAt: expect.stringMatching(/^9999-12-31T/) } });
    for (const step of [0, 90 * thousandYearsMs, -99 * thousandYearsMs]) {
      time.stepDate(step);
      for (let round = 0; round < 3; round++) ticks.push(ticksOf(await write(account, 'Pets', upsert)));
    }
    expectIncreasing(ticks);
    expect(formatTicks(ticks.at(-1) ?? 0n)).toMatch(/^9999-12-31T00:00:00\.\d+Z$/);
    expect((await contentsOf(account, 'Pets')).map(({ timestamp }) => ticksOf(timestamp))).toEqual([ticks.at(-1)]);
  });

  it('promise 5: a clock before the year 1 gives timestamps after it', async () => {
    const { account, time } = given();
    time.stepDate(-3000 * 365 * 86_400_000);
    await account.createTable(tableNamed('Pets'));
    const ticks = [await write(account, 'Pets', upsert), await write(account, 'Pets', upsert)].map(ticksOf);
    expectIncreasing(ticks);
    expect((await account.findTable('Pets')).kind).toBe('found');
  });

  it('promises 5 and 15: the last possible timestamp can be loaded, and later writes still succeed', async () => {
    const { account } = given();
    const load = await account.beginLoad();
    await load.addTable({ name: tableNamed('Pets') });
    await load.addEntities('Pets', [{ ...key, properties: '', ticks: ticksMax }]);
    await load.finish();
    expect((await contentsOf(account, 'Pets')).map(({ timestamp }) => timestamp)).toEqual([formatTicks(ticksMax)]);
    const ticks = [await write(account, 'Pets', upsert), await write(account, 'Pets', upsert)].map(ticksOf);
    expectIncreasing(ticks);
  });

  it('promise 5: timestamps are returned with all seven digits', async () => {
    const { account } = given();
    await account.createTable(tableNamed('Pets'));
    const written = await Promise.all(
      Array.from({ length: 25 }, (_, index) =>
        write(account, 'Pets', insertion(keyOf('cats', String(index).padStart(2, '0')))),
      ),
    );
    expect((await contentsOf(account, 'Pets')).map(({ timestamp }) => timestamp)).toEqual(written);
  });
}
