import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQueryOptions, queryOptionsMax } from '../../../src/protocol/query-options.ts';

const optionsOf = (text: string): Record<string, string> => Object.fromEntries(parseQueryOptions(text).options);

describe('The query of an address', () => {
  it.each([
    ['', {}],
    ['&&', {}],
    ['a=1', { a: '1' }],
    ['a', { a: '' }],
    ['a=', { a: '' }],
    ['a=b=c', { a: 'b=c' }],
    ['$top=1&%24select=x', { $top: '1', $select: 'x' }],
    ['a=1+2%202', { a: '1 2 2' }],
    ['a=%2B%26%3D', { a: '+&=' }],
    ['a=%C3%A9', { a: '\u00e9' }],
    ['a=1&a=2', { a: '1' }],
    ['A=1&a=2', { A: '1', a: '2' }],
  ])('%j contains %j', (text, options) => {
    expect(optionsOf(text)).toEqual(options);
  });

  it.each(['%', 'a=%', '%zz=1', 'a=%C3', 'a=%ED%A0%80'])('%j is malformed', (text) => {
    expect(parseQueryOptions(`${text}&b=1`)).toEqual({
      options: new Map([['b', '1']]),
      fault: 'The query is not percent-encoded UTF-8.',
      isRepetitive: false,
      repeatedNames: new Set(),
    });
  });

  it('is parsed like with URLSearchParams', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 10 });
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(text, text), { selector: ([name]) => name, maxLength: 5 }), (pairs) => {
        const { options, fault } = parseQueryOptions(new URLSearchParams(pairs).toString());
        expect([...options]).toEqual(pairs);
        expect(fault).toBeUndefined();
      }),
    );
  });
});

describe('A query with too many options', () => {
  const queryOf = (count: number, option: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => option(index)).join('&');

  it.each([
    ['different', (index: number) => `a${index}=1`],
    ['empty', () => ''],
    ['repeated', () => '$top=1'],
    ['malformed', () => '%ff'],
  ])('has a fault, and is read up to the maximum number of options: %s', (_, option) => {
    const most = parseQueryOptions(queryOf(queryOptionsMax, option));
    const more = parseQueryOptions(queryOf(20_000, option));
    expect(most.fault ?? '').not.toMatch(/more than/);
    expect(more.fault).toBe('The query has more than 64 options.');
    expect(more.options).toEqual(most.options);
  });
});

describe('A repeated option', () => {
  it.each([
    ['$top=1&$top=2', true],
    ['$select=a&%24select=b', true],
    ['$top=1&$select=a', false],
    ['x=1&x=2', false],
  ])('%s is reported: %s', (text, isRepetitive) => {
    expect(parseQueryOptions(text)).toMatchObject({ fault: undefined, isRepetitive });
  });

  it('has the first value', () => {
    expect(parseQueryOptions('$top=1&$top=2').options.get('$top')).toBe('1');
  });
});
