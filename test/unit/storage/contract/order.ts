import { expect, it } from 'vitest';
import type { Mutation } from '../../../../src/model/mutation.ts';
import type { Ticks } from '../../../../src/model/ticks.ts';
import { contentsOf, insertion, keyOf, tableNamed, texts, ticksOf, write } from '../../../support/entities.ts';
import type { Given } from './given.ts';

const key = keyOf('cats', 'tom');
const upsert = { kind: 'insertOrReplace', ...key, properties: texts({ Value: 'x' }) } as const;

/** Tests that concurrent calls take effect in the order in which they were made. The contract does not require this. */
export function describeOrder(given: () => Given): void {
  it('promise 9: each operation of a turn sees the table in the state that earlier ones left', async () => {
    const { account } = given();
    const outcomes = await Promise.all([
      account.apply('Pets', [insertion(key)]),
      account.createTable(tableNamed('Pets')),
      account.apply('Pets', [insertion(key)]),
      account.deleteTable('Pets'),
      account.apply('Pets', [insertion(key)]),
      account.createTable(tableNamed('Pets')),
      account.apply('Pets', [insertion(key)]),
    ]);
    expect(outcomes.map(({ kind }) => kind)).toEqual([
      'tableMissing',
      'created',
      'applied',
      'deleted',
      'tableMissing',
      'created',
      'applied',
    ]);
    expect(await contentsOf(account, 'Pets')).toHaveLength(1);
  });

  it('promise 9: each operation of a turn sees the account in the state that earlier ones left', async () => {
    const { account } = given();
    await account.createTable(tableNamed('Pets'));
    const outcomes = await Promise.all([
      account.apply('Pets', [insertion(keyOf('cats', 'old'))]),
      account.clear().then(() => ({ kind: 'cleared' })),
      account.apply('Pets', [insertion(key)]),
      account.createTable(tableNamed('Pets')),
      account.apply('Pets', [insertion(key)]),
    ]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['applied', 'cleared', 'tableMissing', 'created', 'applied']);
    expect((await contentsOf(account, 'Pets')).map(({ rowKey }) => rowKey)).toEqual(['tom']);
  });

  it('promise 9: applies in the turn of a clearing are lost if they precede it, and kept if they follow it', async () => {
    const { account } = given();
    await account.createTable(tableNamed('Pets'));
    await write(account, 'Pets', insertion(key));
    const outcomes = await Promise.all([
      account.apply('Pets', [insertion(keyOf('dogs', 'a')), insertion(keyOf('dogs', 'b'))]),
      account.clearTable('Pets'),
      account.apply('Pets', [insertion(keyOf('dogs', 'b')), insertion(keyOf('dogs', 'c'))]),
      account.apply('Pets', [insertion(keyOf('dogs', 'd')), insertion(keyOf('dogs', 'b'))]),
    ]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['applied', 'cleared', 'applied', 'exists']);
    expect((await contentsOf(account, 'Pets')).map(({ rowKey }) => rowKey)).toEqual(['b', 'c']);
  });

  it('promise 5: timestamps increase over the writes of one turn, including tables', async () => {
    const { account } = given();
    await account.createTable(tableNamed('Pets'));
    const [first, created, second] = await Promise.all([
      write(account, 'Pets', upsert),
      account.createTable(tableNamed('Plants')),
      write(account, 'Pets', upsert),
    ]);
    if (created.kind !== 'created') throw new Error('the table is new');
    const ticks: Ticks[] = [ticksOf(first), ticksOf(created.table.createdAt), ticksOf(second)];
    expect(ticks.toSorted((a, b) => Number(a - b))).toEqual(ticks);
  });

  it('promise 3: a refusal is not returned before the write that caused it', async () => {
    const { account } = given();
    await account.createTable(tableNamed('Pets'));
    const answers: string[] = [];
    const note = async (name: string, mutation: Mutation): Promise<void> => {
      const { kind } = await account.apply('Pets', [mutation]);
      answers.push(`${name} ${kind}`);
    };
    await Promise.all([note('first', insertion(key)), note('second', insertion(key))]);
    expect(answers).toEqual(['first applied', 'second exists']);
  });
}
