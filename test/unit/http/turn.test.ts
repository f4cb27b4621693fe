import { expect, test } from 'vitest';
import { Turn } from '../../../src/http/turn.ts';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('requests of one turn begin at its end, in the order in which they arrived', async () => {
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

test('of a hundred requests in one turn 64 begin, and the others follow in order', async () => {
  const begun: number[] = [];
  const turn = new Turn<number>((arrival) => begun.push(arrival));
  for (let at = 0; at < 100; at++) turn.add(at);
  await nextTurn();
  expect(begun).toHaveLength(64);
  turn.add(100);
  await nextTurn();
  expect(begun).toEqual(Array.from({ length: 101 }, (_, at) => at));
});
