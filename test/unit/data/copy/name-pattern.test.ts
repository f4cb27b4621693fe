import { describe, expect, it } from 'vitest';
import { fitsPattern } from '../../../../src/data/copy/name-pattern.ts';

const names = ['Orders', 'OrderLines', 'Customers', 'order'];

describe('patterns of table names', () => {
  it.each([
    [[], names],
    [['*'], names],
    [['Or*'], ['Orders', 'OrderLines', 'order']],
    [['ORDER'], ['order']],
    [['*s'], ['Orders', 'OrderLines', 'Customers']],
    [['Order*s'], ['Orders', 'OrderLines']],
    [
      ['order', 'C*'],
      ['Customers', 'order'],
    ],
    [['rder'], []],
  ])('%j match %j', (patterns, expected) => {
    expect(names.filter(fitsPattern(patterns))).toEqual(expected);
  });
});
