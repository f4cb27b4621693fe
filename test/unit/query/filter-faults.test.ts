import { describe, expect, it } from 'vitest';
import { createFilterReader } from '../../../src/query/read-filter.ts';
import { refusalOf } from './filters.ts';

const { readFilter } = createFilterReader();
const refusal = (filter: string): string => refusalOf(() => readFilter(filter));
const parsing = (message: string): string => `400 InvalidInput parse: ${message}`;
const notImplemented =
  '501 NotImplemented execute: The requested operation is not implemented on the specified resource.';

describe('a filter with a syntax error', () => {
  it.each([
    ['aaa bbb ccc', 7],
    ["property1 eq 1'invalid'", 23],
    ["PartitionKey EQ 'p'", 15],
    ['A eq 1)', 7],
    ['A eq 1, B eq 1', 7],
    ['A eq 1 not B', 10],
    ['A eq 1 B', 8],
    ['A eq 1 2', 8],
    ["odata.etag eq 'x'", 6],
    ['a/ eq 1', 7],
    ['a/5 eq 1', 3],
    ['a/b/ ', 5],
    ['a/b c', 5],
    ["A eq 1 foo('x')", 10],
    ['A eq 10Lx', 9],
    ["timed'x' eq A", 8],
    ['A = 1', 3],
  ])('%s names position %d, the end of the unexpected token', (filter, position) => {
    expect(refusal(filter)).toBe(parsing(`Syntax error at position ${position} in '${filter}'.`));
  });

  it.each([
    ['<class', '<', 0],
    ['\u2039class', '\u2039', 0],
    ['PartitionKey eq "p"', '"', 16],
    ['A eq +5', '+', 5],
    ['A eq 1 & B eq 1', '&', 7],
    ['A eq \u{1f600}', '\u{1f600}', 5],
    ['A; drop', ';', 1],
    ['A eq 1\0', '\0', 6],
  ])('%j names the character %j at %d', (filter, character, position) => {
    expect(refusal(filter)).toBe(
      parsing(`Syntax error: character '${character}' is not valid at position ${position} in '${filter}'.`),
    );
  });

  it.each([
    ["PartitionKey eq 'p", 18],
    ["A eq 'it''s", 11],
    ["'", 1],
  ])('%s names the unterminated string', (filter, position) => {
    expect(refusal(filter)).toBe(
      parsing(`There is an unterminated string literal at position ${position} in '${filter}'.`),
    );
  });

  it("A eq datetime'2008 names the unterminated literal", () => {
    const filter = "A eq datetime'2008";
    expect(refusal(filter)).toBe(parsing(`There is an unterminated literal at position 18 in '${filter}'.`));
  });

  it.each([
    ['A eq 1.', 7],
    ['A eq 1.x', 7],
    ['A eq 1e', 7],
    ['A eq 1.5e+', 10],
    ['1eq A', 2],
  ])('%s names the missing digit at %d', (filter, position) => {
    expect(refusal(filter)).toBe(parsing(`A digit was expected at position ${position} in '${filter}'.`));
  });

  it.each([
    ['A eq', 4],
    ['A eq ', 5],
    ['A eq 1 and', 10],
    ['not', 3],
    ['()', 1],
    ['(A eq 1) and ()', 14],
    ['A eq )', 5],
    ['length(A,) eq 1', 9],
    ['.5 eq A', 0],
    ['A eq .5', 5],
    ['*', 0],
    [', A', 0],
  ])('%s names the missing expression at %d', (filter, position) => {
    expect(refusal(filter)).toBe(parsing(`Expression expected at position ${position} in '${filter}'.`));
  });

  it.each([
    ['(A eq 1', 7],
    ['(A eq 1 B', 8],
    ['(A eq 1, B eq 1)', 7],
    ['((A eq 1)', 9],
  ])('%s names the parenthesis that is missing at %d', (filter, position) => {
    expect(refusal(filter)).toBe(parsing(`')' or operator expected at position ${position} in '${filter}'.`));
  });

  it.each([
    ['length(A', 8],
    ["startswith(A 'x')", 13],
  ])('%s names what is missing in the parentheses of the function at %d', (filter, position) => {
    expect(refusal(filter)).toBe(parsing(`')' or ',' expected at position ${position} in '${filter}'.`));
  });
});

describe('a filter with incompatible types', () => {
  it.each([
    ['PartitionKey eq 12345', 'Edm.String', 'Edm.Int32', 'Equal'],
    ['12345 ne PartitionKey', 'Edm.Int32', 'Edm.String', 'NotEqual'],
    ['RowKey gt 1L', 'Edm.String', 'Edm.Int64', 'GreaterThan'],
    ["RowKey ge guid'a455c695-df98-5678-aaaa-81d3367e5a34'", 'Edm.String', 'Edm.Guid', 'GreaterThanOrEqual'],
    ["Timestamp lt 'x'", 'Edm.DateTime', 'Edm.String', 'LessThan'],
    ['Timestamp le 3.0', 'Edm.DateTime', 'Edm.Double', 'LessThanOrEqual'],
    ['PartitionKey eq Timestamp', 'Edm.String', 'Edm.DateTime', 'Equal'],
    ['PartitionKey eq 3M', 'Edm.String', 'Edm.Decimal', 'Equal'],
    ["'a' eq 5", 'Edm.String', 'Edm.Int32', 'Equal'],
    ['(A eq 1) eq 5', 'Edm.Boolean', 'Edm.Int32', 'Equal'],
    ["(PartitionKey) and (RowKey ge 'x')", 'Edm.String', 'Edm.Boolean', 'And'],
    ['5 and A eq 1', 'Edm.Int32', 'Edm.Boolean', 'And'],
    ['A and 5', '<null>', 'Edm.Int32', 'And'],
    ['A eq 1 and B eq 1 and Timestamp', 'Edm.Boolean', 'Edm.DateTime', 'And'],
    ["A eq 1 or 'x'", 'Edm.Boolean', 'Edm.String', 'Or'],
    ['A and B and C and D and E and F and G and H and I and 5', 'Edm.Boolean', 'Edm.Int32', 'And'],
    ['A and B and C and D and E and F and G and H and 5 and I', 'Edm.Boolean', 'Edm.Int32', 'And'],
  ])('%s names %s and %s for %s', (filter, left, right, operatorKind) => {
    const types = `'${left}' and '${right}' for operator kind '${operatorKind}'.`;
    expect(refusal(filter)).toBe(
      parsing(`A binary operator with incompatible types was detected. Found operand types ${types}`),
    );
  });

  it.each([
    ['not PartitionKey', 'Edm.String'],
    ['not (Timestamp) and A eq 1', 'Edm.DateTime'],
    ["A or not 'x'", 'Edm.String'],
    ['not not 5', 'Edm.Int32'],
  ])('%s names %s for Not', (filter, type) => {
    const found = `Found operand type '${type}' for operator kind 'Not'.`;
    expect(refusal(filter)).toBe(parsing(`A unary operator with an incompatible type was detected. ${found}`));
  });

  it.each(['PartitionKey', '(RowKey)', "'a'", '5', '((5))', 'Timestamp'])('%s is not a condition', (filter) => {
    expect(refusal(filter)).toBe(parsing('The $filter expression must evaluate to a single boolean value.'));
  });
});

describe('a comparison with null', () => {
  it.each(['P eq null', 'P ne null', 'null eq P', 'PartitionKey eq null', 'not (P eq null) and A eq 1'])(
    '%s is refused without a reason',
    (filter) => {
      expect(refusal(filter)).toBe('400 InvalidInput execute: One of the request inputs is not valid.');
    },
  );

  it.each([
    ['P lt null', 'LessThan'],
    ['P le null', 'LessThanOrEqual'],
    ['P gt null', 'GreaterThan'],
    ['RowKey ge null', 'GreaterThanOrEqual'],
    ['null lt P', 'LessThan'],
  ])('%s is refused as %s', (filter, operatorKind) => {
    const rest = "is not supported for the 'null' literal; only equality checks are supported.";
    expect(refusal(filter)).toBe(parsing(`The operator '${operatorKind}' ${rest}`));
  });
});

describe('a filter that the service does not implement', () => {
  it.each([
    ...["startswith(A, 'x')", "substringof('x', A)", 'length(A) eq 1', "tolower(A) eq 'x'", 'year(T) gt 2000'],
    ...['not endswith (A, B)', "A eq concat('a', concat('b', C))", "isof('Edm.String')"],
    ...['A add 1 eq 2', 'A eq 1 sub 2', '(A mul 2) div 3 gt 1', 'A mod 2 eq 0', '-A eq 1', '- (A) eq 1', 'A eq -B'],
    ...['A eq B', '1 eq 2', "'a' eq 'b'", '1 eq 2L', 'null eq null', 'PartitionKey eq RowKey'],
    ...['(A eq 1) eq true', 'A eq B eq C', 'A eq (B eq 1)', 'A eq not B', '(not A) eq true', 'A lt 1 gt 2'],
    ...['null', 'not null', 'A and null', 'B eq 1 or A eq 1 add 1'],
    ...['Age/HasValue eq true', 'not Age/HasValue', 'A/B/C', "5 lt A/B or A eq 'x'", 'length(A/B) eq 1', 'A eq 5/B'],
  ])('%s is not implemented', (filter) => {
    expect(refusal(filter)).toBe(notImplemented);
  });

  it.each(['foo(A)', 'foo()', 'A eq 1 or not foo(A, 1)', "length(foo('x')) eq 1", 'StartsWith(A)', 'toString(A)'])(
    '%s names an unknown function',
    (filter) => {
      const name = /(foo|StartsWith|toString)/.exec(filter)?.[0];
      const rest = 'This may also be a key lookup on a navigation property, which is not allowed.';
      expect(refusal(filter)).toBe(parsing(`An unknown function with name '${name}' was found. ${rest}`));
    },
  );
});

describe('of two errors in a filter, the reported one is right:', () => {
  it.each([
    ['syntax comes before types', 'PartitionKey eq 5 and A B', /^400 InvalidInput parse: Syntax error at position 25/],
    ['syntax comes before functions', 'foo(A) and length(B) eq', /^400 InvalidInput parse: Expression expected/],
    ['the first in the text comes first', 'aaa bbb "', /^400 InvalidInput parse: Syntax error at position 7/],
    ['a literal comes before later syntax', "X'z' eq (", /^400 InvalidInput parse: Unrecognized/],
    ['types come before unimplemented parts', 'length(A) eq 1 and PartitionKey eq 5', /^400 .* 'Equal'/],
    ['unknown functions come before unimplemented parts', 'A eq B and foo(A)', /^400 .*unknown function/],
    ['types come before null', 'A eq null or PartitionKey eq 5', /^400 InvalidInput parse: .* 'Equal'/],
    ['types come first even inside unsupported terms', '(PartitionKey eq 5) eq true', /^400 .* 'Equal'/],
  ])('%s', (_, filter, expected) => {
    expect(refusal(filter)).toMatch(expected);
  });
});

describe('a hostile filter', () => {
  const generic = parsing('One of the request inputs is not valid.');
  const tooDeep = parsing('Recursion depth exceeded allowed limit.');

  it.each([
    ['a megabyte', 'A eq 1 or '.repeat(100_000), generic],
    ['a megabyte of one string', `A eq '${'x'.repeat(1_000_000)}'`, generic],
    ['100,000 parentheses', '('.repeat(100_000), generic],
    ['60,000 parentheses', '('.repeat(60_000), tooDeep],
    ['501 parentheses', `${'('.repeat(501)}A eq 1${')'.repeat(501)}`, tooDeep],
    ['nested function calls', 'f('.repeat(30_000), tooDeep],
    ['16,000 nots', `${'not '.repeat(16_000)}A`, tooDeep],
    ['501 nots in parentheses', `${'not('.repeat(501)}A${')'.repeat(501)}`, tooDeep],
    ['10,000 terms', `${'A or '.repeat(10_000)}A`, generic],
    ['2,001 comparisons', `${'A eq 1 or '.repeat(2000)}A eq 1`, generic],
    ['2,001 arguments', `f(${'A,'.repeat(2000)}A)`, generic],
    ['60,000 digits', `A eq ${'9'.repeat(60_000)}`, /Unrecognized 'Edm.Int32'/],
    ['60,000 digits and an L', `A eq ${'9'.repeat(60_000)}L`, /Unrecognized 'Edm.Int64'/],
    ['60,000 digits of a fraction', `A eq 1.${'9'.repeat(60_000)}x`, /Syntax error/],
    ['60,000 blanks after a sign', `A eq -${' '.repeat(60_000)}`, /Expression expected/],
    ['30,000 signs', `A eq ${'- '.repeat(30_000)}A`, notImplemented],
    ['15,000 segments of a path', `A${'/B'.repeat(15_000)}`, notImplemented],
    ['9,000 additions', `A eq 1${' add 1'.repeat(9000)}`, notImplemented],
    ['60,000 quotes', `A eq ${"'".repeat(60_000)}x`, /Syntax error/],
  ])('of %s is refused', (_, filter, expected) => {
    expect(refusal(filter)).toEqual(expected instanceof RegExp ? expect.stringMatching(expected) : expected);
  });
});

describe('a filter over tables', () => {
  const { readTableFilter } = createFilterReader();
  const answer = (filter: string): string => refusalOf(() => readTableFilter(filter));

  it('compares lookup names with TableName', () => {
    expect(readTableFilter("TableName ge 'Ab' or not ('CD' ne TableName)")).toEqual(
      readFilter("TableName ge 'ab' or not ('cd' ne TableName)"),
    );
  });

  it('compares TableName', () => {
    expect(readTableFilter("TableName ge 'a' and not ('b' lt TableName)")).toEqual(
      readFilter("TableName ge 'a' and not ('b' lt TableName)"),
    );
    expect(readTableFilter(' ')).toBeUndefined();
  });

  it.each([
    'filter eq not valid',
    'TableName eq 5',
    'TableName',
    "TableName eq 'x",
    'TableName eq null',
    "foo('x')",
    '"',
  ])('%s is not implemented', (filter) => {
    expect(answer(filter)).toBe(notImplemented);
  });

  it.each(["Foo eq 'tb'", "PartitionKey eq 'x'", "TableName eq 'x' or not (tableName eq 'x')", 'Foo'])(
    '%s causes an internal error',
    (filter) => {
      expect(answer(filter)).toMatch(/^500 InternalError execute: Server encountered an internal error/);
    },
  );
});
