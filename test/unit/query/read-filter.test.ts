import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Filter } from '../../../src/query/filter.ts';
import { createFilterReader } from '../../../src/query/read-filter.ts';
import { and, comparison, int, not, one, or, refusalOf, text } from './filters.ts';

const { readFilter } = createFilterReader();
const [a, b, c, d] = [one('A'), one('B'), one('C'), one('D')];
const property = (name: string): Filter => ({ kind: 'property', name });
const constant = (value: boolean): Filter => ({ kind: 'constant', value });

describe('a filter', () => {
  it.each(['', ' ', '\t \n'])('may be empty: %j', (blank) => {
    expect(readFilter(blank)).toBeUndefined();
  });

  it.each<[string, Filter]>([
    ['A eq 1', a],
    [
      "PartitionKey eq 'p' and RowKey ge 'r'",
      and(comparison('PartitionKey', 'eq', text('p')), comparison('RowKey', 'ge', text('r'))),
    ],
    ['  A   eq\t1  ', a],
    ['A eq 1 and B eq 1 or C eq 1', or(and(a, b), c)],
    ['A eq 1 or B eq 1 and C eq 1', or(a, and(b, c))],
    ['(A eq 1 or B eq 1) and C eq 1', and(or(a, b), c)],
    ['A eq 1 and (B eq 1 and (C eq 1 and D eq 1))', and(a, b, c, d)],
    ['((A eq 1) or (B eq 1)) or ((C eq 1) or (D eq 1))', or(a, b, c, d)],
    ['not A eq 1', not(a)],
    ['not (A eq 1)', not(a)],
    ['not not A eq 1', not(not(a))],
    ['not not not A', not(not(not(property('A'))))],
    ['not (A eq 1) and B eq 1', and(not(a), b)],
    ['not A eq 1 and B eq 1 or C eq 1', or(and(not(a), b), c)],
    ['A eq 1 and not B eq 1 or C eq 1', or(and(a, not(b)), c)],
    ['A eq 1 or not B eq 1 and not C eq 1 or D eq 1', or(a, and(not(b), not(c)), d)],
    ['not (A eq 1 or B eq 1) and C eq 1', and(not(or(a, b)), c)],
    ['not(A eq 1)', not(a)],
    ['A eq 1 and(B eq 1)', and(a, b)],
    ['(A eq 1)or(B eq 1)', or(a, b)],
    ["A eq'x'and B eq 1", and(comparison('A', 'eq', text('x')), b)],
    ['(((A eq 1)))', a],
    ['A eq (1)', a],
    ['(A) eq ((1))', a],
    ['A', property('A')],
    ['(A)', property('A')],
    ['not A', not(property('A'))],
    ['A and not B', and(property('A'), not(property('B')))],
    ['true', constant(true)],
    ['not false or A eq 1', or(not(constant(false)), a)],
    ['A eq true', comparison('A', 'eq', { type: 'Edm.Boolean', value: true })],
  ])('%s is parsed with the precedence of its operators', (written, filter) => {
    expect(readFilter(written)).toEqual(filter);
  });

  it.each([
    ['5 eq A', 'eq'],
    ['5 ne A', 'ne'],
    ['5 lt A', 'gt'],
    ['5 le A', 'ge'],
    ['5 gt A', 'lt'],
    ['5 ge A', 'le'],
  ] as const)('%s is mirrored to %s', (written, operator) => {
    expect(readFilter(written)).toEqual(comparison('A', operator, int(5)));
  });

  it.each([
    ...[
      'constructor',
      '__proto__',
      'toString',
      'hasOwnProperty',
      'partitionkey',
      '_x1',
      '\u00e9\u4e2d',
      'and',
      'eq',
      'or',
    ],
    ...['datetime', 'length', 'n0', 'g0', 'X', `${'long'.repeat(60)}`],
  ])('may name a property %s', (name) => {
    expect(readFilter(`${name} eq 1`)).toEqual(one(name));
    expect(readFilter(`not ${name} or 1 eq ${name}`)).toEqual(or(not(property(name)), one(name)));
  });

  it('is deeply frozen', () => {
    const filter = readFilter("not (A eq 1 or B) and (C eq 'x' or true) and D");
    const loose: unknown[] = [];
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      if (!Object.isFrozen(node)) loose.push(node);
      Object.values(node).forEach(visit);
    };
    visit(filter);
    expect(loose).toEqual([]);
  });

  it('compares a Timestamp with a date', () => {
    expect(readFilter("Timestamp ge datetime'0001-01-01T00:00:00Z'")).toEqual(
      comparison('Timestamp', 'ge', { type: 'Edm.DateTime', value: 0n }),
    );
  });

  it('with 300 terms is parsed', () => {
    const terms = Array.from({ length: 300 }, (_, index) => comparison(`P${index}`, 'eq', int(index)));
    const written = terms.map(({ property: name }, index) => `${name} eq ${index}`);
    expect(readFilter(written.join(' and '))).toEqual(and(...terms));
    expect(readFilter(written.join(' or '))).toEqual(or(...terms));
  });

  it('with 300 terms nested to the left is parsed', () => {
    const names = Array.from({ length: 300 }, (_, index) => `P${index}`);
    const written = names.map((name) => `(${name} eq 1)`).reduce((left, term) => `(${left} and ${term})`);
    expect(readFilter(written)).toEqual(and(...names.map(one)));
  });

  it('with long conjunctions below an or, or with alternating nesting, is parsed', () => {
    const names = Array.from({ length: 20 }, (_, index) => `P${index}`);
    const row = names.map((name) => `not ${name} eq 1`).join(' and ');
    const conjunction = and(...names.map((name) => not(one(name))));
    expect(readFilter(`A eq 1 or ${row} or B eq 1 or ${row}`)).toEqual(or(a, conjunction, b, conjunction));
    expect(
      readFilter(names.map((name) => `${name} eq 1`).reduce((left, term) => `(${left} and A eq 1 or ${term})`)),
    ).toEqual(
      names
        .map((name): Filter => one(name))
        .reduce((left, term) => or(left.kind === 'or' ? and(left, a) : and(left, a), term)),
    );
  });

  it('may have 2,000 comparisons, and parentheses nested 500 deep', () => {
    expect(readFilter(Array.from({ length: 2000 }, () => 'A eq 1').join(' or '))).toMatchObject({ kind: 'or' });
    expect(readFilter(`${'('.repeat(500)}A eq 1${')'.repeat(500)}`)).toEqual(a);
    expect(readFilter(`${'not ('.repeat(500)}A eq 1${')'.repeat(500)}`)).toMatchObject({ kind: 'not' });
  });

  it('that is random text is parsed or refused with an error of the service', () => {
    const parts = fc.constantFrom(
      ...[
        'A',
        'PartitionKey',
        'and',
        'or',
        'not',
        'eq',
        'lt',
        'add',
        '(',
        ')',
        ',',
        '-',
        '1',
        "'x'",
        'null',
        'true',
        '3L',
      ],
      ...["'", '"', '/', '.', 'foo(', 'length(', "datetime'", '1e', '0x', 'INF', '\ud83d', '\u{1f600}'],
    );
    const garbage = fc.oneof(
      fc.array(parts, { maxLength: 30 }).map((words) => words.join(' ')),
      fc.array(parts, { maxLength: 30 }).map((words) => words.join('')),
      fc.string({ unit: 'binary', maxLength: 60 }),
    );
    fc.assert(
      fc.property(garbage, (written) => {
        expect(refusalOf(() => readFilter(written))).toMatch(/^(400 InvalidInput|501 NotImplemented|nothing refused)/);
      }),
      { numRuns: 2000 },
    );
  });
});
