import { describe, expect, it } from 'vitest';
import { rowsWhere } from '../support/queries.ts';
import { startService } from '../support/service.ts';

const service = await startService();
await service.createTable('logic');
// An entity for every combination of three Booleans. The row key has a letter for each Boolean that is true.
for (let bits = 0; bits < 8; bits++) {
  const [A, B, C] = [4, 2, 1].map((bit) => (bits & bit) !== 0);
  await service.insert('logic', { RowKey: `${A ? 'A' : ''}${B ? 'B' : ''}${C ? 'C' : ''}-`, A, B, C, n: bits });
}
const rows = (filter: string): Promise<string[]> => rowsWhere(service, 'logic', filter);
const has = (row: string, letter: string): boolean => row.includes(letter);

async function expectRows(filter: string, isSelected: (a: boolean, b: boolean, c: boolean) => boolean): Promise<void> {
  const all = await rows('true');
  expect(all).toHaveLength(8);
  const expected = all.filter((row) => isSelected(has(row, 'A'), has(row, 'B'), has(row, 'C')));
  expect(await rows(filter), filter).toEqual(expected);
}

describe('In a filter,', () => {
  it('and binds tighter than or', async () => {
    await expectRows('A or B and C', (a, b, c) => a || (b && c));
    await expectRows('A and B or C', (a, b, c) => (a && b) || c);
    await expectRows('A eq true or B eq true and C eq true', (a, b, c) => a || (b && c));
    await expectRows('(A or B) and C', (a, b, c) => (a || b) && c);
  });

  it('not binds tighter than and', async () => {
    await expectRows('not A and B', (a, b) => !a && b);
    await expectRows('not (A and B)', (a, b) => !(a && b));
    await expectRows('not(A)and not(B)or C', (a, b, c) => (!a && !b) || c);
    await expectRows('not not A', (a) => a);
    await expectRows('not (not (A or B) and not (C))', (a, b, c) => !(!(a || b) && !c));
  });

  it('comparisons bind tighter than not, with or without parentheses', async () => {
    await expectRows('not (A eq true) and B eq true', (a, b) => !a && b);
    await expectRows('not A eq true and B eq true', (a, b) => !a && b);
  });

  it('parentheses decide, even superfluous ones', async () => {
    await expectRows('((((A)) or ((B))))', (a, b) => a || b);
    await expectRows('((A) and ((B) or (C)))', (a, b, c) => a && (b || c));
  });
});

describe('A Boolean by itself', () => {
  it('selects entities in which it is true', async () => {
    await expectRows('A', (a) => a);
    await expectRows('not A', (a) => !a);
    await expectRows('A and not B', (a, b) => a && !b);
  });

  it('may be a literal', async () => {
    await expectRows('true', () => true);
    await expectRows('false', () => false);
    await expectRows('not false and A', (a) => a);
    await expectRows('true and A', (a) => a);
    await expectRows('false or A', (a) => a);
  });

  it('selects nothing if the property is not a Boolean, and everything if it is negated', async () => {
    expect(await rows('n')).toEqual([]);
    expect(await rows('not n')).toHaveLength(8);
    expect(await rows('n or A')).toHaveLength(4);
  });
});

describe('A missing property', () => {
  const everything = 8;

  it.each(['eq', 'ne', 'lt', 'le', 'gt', 'ge'])(
    'compares as NULL: %s selects nothing, and its negation everything',
    async (operator) => {
      expect(await rows(`Missing ${operator} 1`)).toEqual([]);
      expect(await rows(`1 ${operator} Missing`)).toEqual([]);
      expect(await rows(`not (Missing ${operator} 1)`)).toHaveLength(everything);
    },
  );

  it('is NULL without a comparison too', async () => {
    expect(await rows('Missing')).toEqual([]);
    expect(await rows('not Missing')).toHaveLength(everything);
    expect(await rows('not (not (Missing))')).toEqual([]);
  });

  it.each([
    ['Missing eq 1 and false', 'FALSE', 0, everything],
    ['Missing eq 1 and true', 'NULL', 0, everything],
    ['Missing eq 1 or true', 'TRUE', everything, 0],
    ['Missing eq 1 or false', 'NULL', 0, everything],
    ['Missing eq 1 or Missing eq 2', 'NULL', 0, everything],
    ['not (Missing eq 1) and true', 'TRUE', everything, 0],
  ])('%s is %s', async (filter, _, selected, negated) => {
    expect(await rows(filter)).toHaveLength(selected);
    expect(await rows(`not (${filter})`)).toHaveLength(negated);
  });

  it('is missing even if a property has the same name in another case', async () => {
    expect(await rows("a or partitionkey eq 'p' or ROWKEY ne 'x'")).toEqual([]);
  });

  // Evidence: recorded by others against the service (Azurite#1929).
  it('makes a negated conjunction select every entity that lacks one of its properties', async () => {
    await service.createTable('sparse');
    for (const [RowKey, members] of Object.entries({ a: { A: 'x' }, b: { B: 3 }, c: { C: true }, none: {} })) {
      await service.insert('sparse', { RowKey, ...members });
    }
    const filter = "not (A ne 'x' and B ne 3 and C ne true)";
    expect(await rowsWhere(service, 'sparse', filter)).toEqual(['a', 'b', 'c', 'none']);
    expect(await rowsWhere(service, 'sparse', "A ne 'x' or B ne 3 or C ne true")).toEqual([]);
    expect(await rowsWhere(service, 'sparse', "not (A eq 'x')")).toEqual(['b', 'c', 'none']);
    expect(await rowsWhere(service, 'sparse', "A eq 'x' or not (B eq 3)")).toEqual(['a', 'c', 'none']);
  });
});

describe('Conditions on keys', () => {
  it('select the same under and, or and not as by themselves', async () => {
    expect(await rows("PartitionKey eq 'p' and (RowKey eq 'A-' or RowKey eq 'C-')")).toEqual(['A-', 'C-']);
    expect(await rows("(PartitionKey eq 'p' and RowKey eq 'A-') or (PartitionKey eq 'x' and RowKey eq 'C-')")).toEqual([
      'A-',
    ]);
    expect(await rows("not (RowKey lt 'B')")).toEqual(['B-', 'BC-', 'C-']);
    expect(await rows("PartitionKey ne 'p'")).toEqual([]);
    expect(await rows("'B-' le RowKey and 'C-' gt RowKey")).toEqual(['B-', 'BC-']);
  });

  it('that contradict each other select nothing', async () => {
    expect(await rows("PartitionKey eq 'p' and PartitionKey eq 'q'")).toEqual([]);
    expect(await rows("PartitionKey eq 'p' and RowKey gt 'b' and RowKey lt 'a'")).toEqual([]);
    expect(await rows("PartitionKey gt 'q' and PartitionKey lt 'p'")).toEqual([]);
  });
});
