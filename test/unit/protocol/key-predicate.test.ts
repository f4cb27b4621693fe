import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/model/service-error.ts';
import { parseEntityKey, parseTableKey } from '../../../src/protocol/key-predicate.ts';
import { hostile } from '../../support/arbitrary-values.ts';

const syntax = 'Bad Request - Error in query syntax.';
const count = (type: string): string =>
  `The number of keys specified in the URI does not match number of key properties for the resource '${type}'.`;
const unterminated = (text: string, what = 'string literal'): string =>
  `There is an unterminated ${what} at position ${text.length} in '${text}'.`;

const outcomeOf = <T>(read: T | ServiceError): T | string => {
  if (!(read instanceof ServiceError)) return read;
  expect([read.code, read.stage]).toEqual(['InvalidInput', 'parse']);
  expect(read.why).not.toEqual([]);
  return read.message;
};
const entityKey = (text: string) => outcomeOf(parseEntityKey(text, 'acct.pets'));
const tableKey = (text: string) => outcomeOf(parseTableKey(text, 'acct.Tables'));
const ab = { partitionKey: 'a', rowKey: 'b' };

describe('The keys of an entity', () => {
  it.each([
    "PartitionKey='a',RowKey='b'",
    "RowKey='b',PartitionKey='a'",
    " PartitionKey = 'a' ,\tRowKey = 'b' ",
    "PartitionKey='a' RowKey='b'",
    "PartitionKey='a'RowKey='b'",
  ])('are read from %j', (text) => {
    expect(entityKey(text)).toEqual(ab);
  });

  // Evidence: sdk (azure-sdk-for-net #31464; azure-sdk-for-python #20301).
  it.each([
    ["PartitionKey='one',RowKey='two'three'", unterminated("PartitionKey='one',RowKey='two'three'")],
    [
      `PartitionKey='"A'aaa"_bbbb3',RowKey='"A'aaa"_bbbb3'`,
      `Syntax error: character '"' is not valid at position 20 in 'PartitionKey='"A'aaa"_bbbb3',RowKey='"A'aaa"_bbbb3''.`,
    ],
  ])('in %j are refused in the same way as by the service', (text, message) => {
    expect(entityKey(text)).toBe(message);
  });

  it.each([
    // The rest of the text is a string, but an equals sign should follow.
    ["PartitionKey='a'b',RowKey='c'", syntax],
    ["PartitionKey='a'b'c',RowKey='r'", syntax],
    ["PartitionKey=''',RowKey='r'", unterminated("PartitionKey=''',RowKey='r'")],
    ["PartitionKey='a',RowKey=datetime'b", unterminated("PartitionKey='a',RowKey=datetime'b", 'literal')],
    [
      "PartitionKey='a',RowKey='b'&",
      "Syntax error: character '&' is not valid at position 27 in 'PartitionKey='a',RowKey='b'&'.",
    ],
    ["PartitionKey='a',RowKey=1.", "A digit was expected at position 26 in 'PartitionKey='a',RowKey=1.'."],
    ["PartitionKey='a'", count('acct.pets')],
    ["PartitionKey='a',RowKey='b',Other='c'", count('acct.pets')],
    ["'a'", count('acct.pets')],
    ['5', count('acct.pets')],
    ['true', count('acct.pets')],
    ["'a','b','c'", count('acct.pets')],
    ["'a','b'", "Segments with multiple key values must specify them in 'name=value' form."],
    ["PartitionKey='a',RowKey=5", syntax],
    ["PartitionKey='a',RowKey=guid'b'", syntax],
    ["PartitionKey='a',RowKey=null", syntax],
    ["PartitionKey='a',RowKey=b", syntax],
    ["PartitionKey='a',Rowkey='b'", syntax],
    ["PartitionKey='a',PartitionKey='b'", syntax],
    ["PartitionKey='a',RowKey='b',", syntax],
    ["PartitionKey='a',,RowKey='b'", syntax],
    [",PartitionKey='a',RowKey='b'", syntax],
    ["PartitionKey='a','b'", syntax],
    ["'a',RowKey='b'", syntax],
    ["PartitionKey eq 'a'", syntax],
    ['null', syntax],
    ['a', syntax],
    // A slash ends the segment before its content is parsed.
    [`PartitionKey='a/b'c"`, syntax],
    [`PartitionKey='a\\b'c"`, syntax],
  ])('in %j are refused: %s', (text, message) => {
    expect(entityKey(text)).toBe(message);
  });

  it('are read in the same way without the comma, for any keys', () => {
    const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
    const key = fc.string({
      unit: fc.constantFrom("'", ',', '=', ' ', 'a', '"', 'RowKey', '\ud83d\ude00'),
      maxLength: 12,
    });
    fc.assert(
      fc.property(key, key, (partitionKey, rowKey) => {
        const [first, second] = [`PartitionKey=${quoted(partitionKey)}`, `RowKey=${quoted(rowKey)}`];
        expect(entityKey(`${first},${second}`)).toEqual({ partitionKey, rowKey });
        expect(entityKey(`${first} ${second}`)).toEqual({ partitionKey, rowKey });
      }),
    );
  });

  it('of any text are read, or refused with the texts of the service', () => {
    const piece = fc.oneof(
      hostile,
      fc.constantFrom(
        "'",
        "''",
        '"',
        ',',
        '=',
        'PartitionKey',
        'RowKey',
        "datetime'",
        "x'",
        '1.',
        '1e',
        '-',
        'null',
        '(',
        '0x',
      ),
    );
    const words =
      /^(?:Bad Request|The number of keys|Segments with|Syntax error: character|There is an unterminated|A digit was)/;
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const read = entityKey(pieces.join(''));
        expect(typeof read === 'string' ? words.test(read) : read.rowKey.length >= 0).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it.each(["'", '1', 'a=', "a='',", "PartitionKey=''", '1e', "x'"])(
    'take time linear in their length: %j, repeated to 64 Ki characters',
    (piece) => {
      const text = piece.repeat(65_536 / piece.length);
      expect(typeof entityKey(text)).toBe('string');
    },
  );
});

describe('Long text between the parentheses', () => {
  it.each([["'"], ["''"], ["'' "], ["'a',"], ['1 '], ["a='b',"]])('of %j, repeated, is refused unparsed', (unit) => {
    expect(entityKey(unit.repeat(60_000 / unit.length))).toBe(syntax);
    expect(tableKey(`x${unit.repeat(60_000 / unit.length)}`)).toBe(syntax);
  });

  it('is parsed up to the length of the two longest keys, even without a comma', () => {
    const quotes = "''".repeat(1_024);
    const keys = { partitionKey: "'".repeat(1_024), rowKey: "'".repeat(1_024) };
    expect(entityKey(`PartitionKey='${quotes}' RowKey='${quotes}'`)).toEqual(keys);
  });
});

describe('The key of a table', () => {
  it.each(["'pets'", "TableName='pets'", " 'pets' "])('is read from %j', (text) => {
    expect(tableKey(text)).toBe('pets');
  });

  it('may contain a text that cannot be the name of a table', () => {
    expect([tableKey("'it''s'"), tableKey("'a/b'")]).toEqual(["it's", 'a/b']);
  });

  it.each([
    ["'it's'", syntax],
    ["'open", unterminated("'open")],
    ["Name='pets'", syntax],
    ['5', syntax],
    ['pets', syntax],
    ["'a','b'", count('acct.Tables')],
    ["PartitionKey='a',RowKey='b'", count('acct.Tables')],
  ])('in %j is refused: %s', (text, message) => {
    expect(tableKey(text)).toBe(message);
  });
});
