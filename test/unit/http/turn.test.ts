import { expect, test } from 'vitest';
import { Turn } from '../../../src/http/turn.ts';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('requests that arrive in one turn begin at the end of the turn, in the order of their arrival', async () => {
  const begun: string[] = [];
  const turn = new Turn<string>((arrival) => begun.push(arrival));
  turn.add('first');
  turn.add('second');
  await Promise.resolve();
  expect(begun).toEqual([]);
  await nextTurn();
  expect(begun).toEqual(['first', 'second']);
});

test('a request that arrives while others begin is carried out in the next turn', async () => {
  const begun: string[] = [];
  const turn = new Turn<string>((arrival) => {
    begun.push(arrival);
    if (arrival === 'first') turn.add('second');
  });
  turn.add('first');
  await nextTurn();
  expect(begun).toEqual(['first']);
  await nextTurn();
  expect(begun).toEqual(['first', 'second']);
});

test('only 16 of fifty requests begin in one turn, and the others follow in order', async () => {
  const begun: number[] = [];
  const turn = new Turn<number>((arrival) => begun.push(arrival));
  for (let at = 0; at < 50; at++) turn.add(at);
  await nextTurn();
  expect(begun).toHaveLength(16);
  turn.add(50);
  for (let turns = 0; turns < 3; turns++) await nextTurn();
  expect(begun).toEqual(Array.from({ length: 51 }, (_, at) => at));
});

test('after a turn with large responses, one request begins in each turn', async () => {
  const begun: number[] = [];
  const turn = new Turn<number>((arrival) => {
    begun.push(arrival);
    turn.count(arrival < 3 ? 300 * 1024 : 1024);
  });
  for (let at = 0; at < 10; at++) {
    turn.add(at);
    if (at === 0) await nextTurn();
  }
  for (const expected of [2, 3, 4, 10]) {
    await nextTurn();
    expect(begun).toHaveLength(expected);
  }
});

test('a request that has arrived can begin immediately, and then begins only once', async () => {
  const begun: string[] = [];
  const turn = new Turn<string>((arrival) => begun.push(arrival));
  turn.add('first');
  turn.flush();
  expect(begun).toEqual(['first']);
  turn.add('second');
  await nextTurn();
  expect(begun).toEqual(['first', 'second']);
});
