import { describe, expect, it } from 'vitest';
import { createTable, deleteTable, insert, insertInto, read, remove, replace } from './operations.mjs';
import { findContradiction, type Operation } from './registers.mjs';

/** `at`: the moment of the call, and that of the response if there was one. */
const during = (
  operation: Omit<Operation, 'calledAt' | 'returnedAt'>,
  calledAt: number,
  returnedAt?: number,
): Operation => ({
  ...operation,
  calledAt,
  ...(returnedAt === undefined ? {} : { returnedAt }),
});

describe('A history', () => {
  it.each<[string, Operation[]]>([
    ['one after the other', [during(insert('a', 'done'), 0, 1), during(read('a'), 2, 3)]],
    [
      'a read among two writes',
      [
        during(insert('a', 'done'), 0, 1),
        during(replace('a', 'b', 'done'), 2, 9),
        during(read('b'), 3, 4),
        during(read('b'), 5, 6),
      ],
    ],
    [
      'a write without a response takes effect later',
      [
        during(insert('a', 'done'), 0, 1),
        during(replace('a', 'b', 'unknown'), 2),
        during(read('a'), 3, 4),
        during(read('b'), 5, 6),
      ],
    ],
    [
      'a write without a response never takes effect',
      [during(insert('a', 'done'), 0, 1), during(remove('a', 'unknown'), 2), during(read('a'), 3, 4)],
    ],
    [
      'a write without a response explains a refusal',
      [
        during(insert('a', 'done'), 0, 1),
        during(remove('a', 'unknown'), 2),
        during(replace('a', 'c', 'missing'), 3, 4),
        during(insert('d', 'done'), 5, 6),
      ],
    ],
  ])('is linearisable: %s', (_, operations) => {
    expect(findContradiction(operations, null)).toBeUndefined();
  });

  it.each<[string, Operation[]]>([
    ['an acknowledged write is lost', [during(insert('a', 'done'), 0, 1), during(read(null), 2, 3)]],
    [
      'two writes with one ETag are applied',
      [
        during(insert('a', 'done'), 0, 1),
        during(replace('a', 'b', 'done'), 2, 5),
        during(replace('a', 'c', 'done'), 3, 6),
      ],
    ],
    [
      'a read returns an older state than an earlier read',
      [
        during(insert('a', 'done'), 0, 1),
        during(replace('a', 'b', 'unknown'), 2),
        during(read('b'), 3, 4),
        during(read('a'), 5, 6),
      ],
    ],
    [
      'a refused write is there',
      [during(insert('a', 'done'), 0, 1), during(insert('b', 'exists'), 2, 3), during(read('b'), 4, 5)],
    ],
    [
      'a write without a response takes effect twice',
      [
        during(insert('a', 'done'), 0, 1),
        during(remove('a', 'unknown'), 2),
        during(read(null), 3, 4),
        during(insert('a', 'done'), 5, 6),
        during(read(null), 7, 8),
      ],
    ],
    ['a refusal has no reason', [during(insert('a', 'done'), 0, 1), during(replace('a', 'b', 'stale'), 2, 3)]],
  ])('is not linearisable: %s', (_, operations) => {
    expect(findContradiction(operations, null)).toMatch(/^after \d+ of \d+ responses/);
  });

  it('can be judged with eighty lost requests that create, fill and delete a table', () => {
    const operations: Operation[] = [];
    for (let at = 0; at < 40; at++) {
      operations.push(during(createTable(at % 3 === 0 ? 'exists' : 'done'), at, at + 0.5));
      operations.push(during([createTable, deleteTable][at % 2]!('unknown'), at));
      operations.push(during(insertInto(`lost${at}`, 'unknown'), at));
      operations.push(during(deleteTable('done'), at + 0.6, at + 0.8));
    }
    expect(findContradiction(operations, '')).toBeUndefined();
    operations.push(during(read('never'), 200, 201));
    expect(findContradiction(operations, '')).toContain('read never');
  });

  it('can be judged with a thousand responses and forty lost ones', () => {
    const operations: Operation[] = [during(insert('v0', 'done'), 0, 0.5)];
    for (let at = 1; at <= 500; at++) {
      operations.push(during(replace(`v${at - 1}`, `v${at}`, 'done'), at, at + 3));
      operations.push(during(read(`v${at}`), at + 0.5, at + 4));
      if (at % 12 === 0) operations.push(during(replace(`v${at}`, `lost${at}`, 'unknown'), at));
    }
    expect(findContradiction(operations, null)).toBeUndefined();
    operations.push(during(read('v499'), 600, 601));
    expect(findContradiction(operations, null)).toContain('v500');
  });
});
