import { describe, expect, it } from 'vitest';
import { parseBoundary, splitMultipart } from '../../../src/protocol/multipart.ts';
import { readHeaders, readLine, skipBlankLines } from '../../../src/protocol/multipart-head.ts';

const split = (text: string, changes: Partial<Parameters<typeof splitMultipart>[1]> = {}) =>
  splitMultipart(Buffer.from(text, 'latin1'), { boundary: 'b', partsMax: 10, isEnclosed: false, ...changes })?.map(
    (part) => part.toString('latin1'),
  );

describe('The boundary in a Content-Type', () => {
  it.each([
    ['multipart/mixed; boundary=batch_1', 'batch_1'],
    ['multipart/mixed;boundary=batch_1;charset=utf-8', 'batch_1'],
    ['multipart/mixed; charset="utf-8"; boundary=batch_1', 'batch_1'],
    ['multipart/mixed; BOUNDARY = "batch_1" ; a=b', 'batch_1'],
    ['multipart/mixed; boundary="a b;c=d"', 'a b;c=d'],
    ['multipart/mixed; boundary="a\\"b"', 'a"b'],
    ['multipart/mixed; note="boundary=wrong; boundary=wrong"; boundary=right', 'right'],
    ["multipart/mixed; boundary=0'()+_,-./:=?", "0'()+_,-./:=?"],
    ['multipart/mixed; charset; boundary=first; boundary=second', 'first'],
    [`multipart/mixed; boundary=${'x'.repeat(70)}`, 'x'.repeat(70)],
  ])('of %s is found', (contentType, boundary) => {
    expect(parseBoundary(contentType)).toBe(boundary);
  });

  it.each([
    'multipart/mixed',
    'multipart/mixed; boundary',
    'multipart/mixed; boundary=',
    'multipart/mixed; boundary=""',
    'multipart/mixed; boundary="  "',
    'multipart/mixed; bound=b',
    'multipart/mixed; boundary=\u00e9',
    `multipart/mixed; boundary=${'x'.repeat(71)}`,
  ])('is missing in %s', (contentType) => {
    expect(parseBoundary(contentType)).toBeUndefined();
  });
});

describe('A multipart body', () => {
  it.each([
    ['with CRLF', '--b\r\none\r\n--b\r\ntwo\r\n--b--\r\n', ['one', 'two']],
    ['with LF', '--b\none\n--b\ntwo\n--b--\n', ['one', 'two']],
    ['with both', '--b\r\none\n--b\ntwo\r\n--b--', ['one', 'two']],
    ['with a preamble and an epilogue', 'hello\r\n\r\n--b\r\none\r\n--b--\r\n--b\r\nnot this', ['one']],
    ['with blank lines at the start', '\r\n\r\n--b\r\none\r\n--b--', ['one']],
    ['with white space after its delimiters', '--b  \r\none\r\n--b\t\r\ntwo\r\n--b-- \r\n', ['one', 'two']],
    ['with a last delimiter that lacks its hyphens', '--b\r\none\r\n--b', ['one']],
    ['with such a delimiter and blank lines', '--b\r\none\r\n--b\r\n\r\n \r\n', ['one']],
    ['with an empty part', '--b\r\n--b--', ['']],
    ['with a part of one blank line', '--b\r\n\r\n--b--', ['']],
    ['with a part of two blank lines', '--b\r\n\r\n\r\n--b--', ['\r\n']],
    ['with no part', '--b--\r\n', []],
    ['with an extra carriage return before a line feed', '--b\none\r\r\n--b--', ['one\r']],
    ['with its boundary inside a line', '--b\none --b\n--b--', ['one --b']],
    [
      'with a longer line that starts with its boundary',
      '--b\n--bb\n--b-\n--b--x\n--b x\n--b--',
      ['--bb\n--b-\n--b--x\n--b x'],
    ],
    ['with a false delimiter first', '--bb\n--b\none\n--b--', ['one']],
    ['with bytes of every kind', '--b\n\u0000\u0080\u00ff\r\n--b--', ['\u0000\u0080\u00ff']],
  ])('%s is split', (_, text, parts) => {
    expect(split(text)).toEqual(parts);
  });

  it.each([
    ['is empty', ''],
    ['has no delimiter', 'hello --b hello'],
    ['ends in the middle of its first part', '--b\r\none\r\n'],
    ['ends in the middle of a later part', '--b\r\none\r\n--b\r\ntwo\r\n--'],
  ])('is malformed if it %s', (_, text) => {
    expect(split(text)).toBeUndefined();
  });

  it('may lack its last delimiter if an outer delimiter ends it', () => {
    expect(split('--b\r\none\r\n--b\r\ntwo', { isEnclosed: true })).toEqual(['one', 'two']);
  });

  it('is parsed up to the maximum number of parts', () => {
    expect(split('--b\n1\n--b\n2\n--b\n3\n--b--', { partsMax: 2 })).toEqual(['1', '2']);
  });

  it('may have any valid boundary', () => {
    const boundary = "=_a 'b'(c)+,./:?--";
    expect(split(`--${boundary}\r\none\r\n--${boundary}--\r\n`, { boundary })).toEqual(['one']);
  });

  // A parser that is not linear would exceed the time limit of the test.
  it.each<[string, string, string, number | undefined]>([
    ['all hyphens', '-'.repeat(4_194_304), '-'.repeat(70), undefined],
    ['false delimiters throughout', '--b\n--bx\n'.repeat(466_000), 'b', undefined],
    ['false delimiters in one part', `--b\n${'--bx\n'.repeat(838_000)}--b--`, 'b', 1],
    ['delimiters throughout', '--b\n'.repeat(1_000_000), 'b', 999_999],
    ['nothing but line ends', '\n'.repeat(4_194_304), 'b', undefined],
    ['white space after its delimiters', `--b\nx${`\n--b${' '.repeat(1000)}x`.repeat(4000)}\n--b`, 'b', 1],
  ])('of 4 MiB may be %s', (_, text, boundary, parts) => {
    expect(split(text, { boundary, partsMax: Number.POSITIVE_INFINITY })?.length).toBe(parts);
  });
});

describe('The head of a part', () => {
  const read = (text: string) => readHeaders(Buffer.from(text), 0);

  it.each([
    [
      'has names in lower case and values trimmed',
      'CONTENT-Type :  a/b \r\nX:\r\n\r\n',
      { 'content-type': 'a/b', x: '' },
    ],
    ['may end with the part', 'A: 1\nB: 2', { a: '1', b: '2' }],
    ['may be empty', '\r\nbody', {}],
    ['may fold a header', 'A: 1;\r\n\tb=2\r\nC: 3\r\n\r\n', { a: '1; b=2', c: '3' }],
    ['joins repeated headers', 'A: 1\r\na: 2\r\n\r\n', { a: '1, 2' }],
    ['has one Content-Type, the first', 'Content-Type: a\r\nContent-Type: b\r\n\r\n', { 'content-type': 'a' }],
    ['is read as UTF-8', 'A: \u00e9\r\n\r\n', { a: '\u00e9' }],
    ['keeps colons in values', 'Host: a:1\r\n\r\n', { host: 'a:1' }],
  ])('%s', (_, text, headers) => {
    expect(read(text)?.headers).toEqual(headers);
  });

  it('has no header that reaches a prototype', () => {
    const headers = read('__proto__: 1\r\nconstructor: 2\r\n\r\n')?.headers ?? {};
    expect(Object.keys(headers)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(headers)).toBeNull();
  });

  it('ends after its blank line', () => {
    const part = Buffer.from('A: 1\r\n\r\n\r\nbody');
    const next = readHeaders(part, 0)?.next ?? 0;
    expect(part.toString('latin1', next)).toBe('\r\nbody');
    expect(part.toString('latin1', skipBlankLines(part, next))).toBe('body');
  });

  it.each([
    ['a line without a colon', 'A: 1\r\nhello\r\n\r\n'],
    ['a line without a name', ': 1\r\n\r\n'],
    ['a name of two words', 'A B: 1\r\n\r\n'],
    ['a continuation of nothing', ' A: 1\r\n\r\n'],
    ['a carriage return inside a line', 'A: 1\rB: 2\r\n\r\n'],
    ['a control character', 'A: \u0001\r\n\r\n'],
    ['a line of 64 KiB', `A: ${'x'.repeat(65_536)}\r\n\r\n`],
    ['more than 100 lines', 'A: 1\r\n'.repeat(101)],
  ])('is malformed with %s', (_, text) => {
    expect(read(text)).toBeUndefined();
  });

  it('has lines of just under 64 KiB', () => {
    const line = 'x'.repeat(65_534);
    expect(readLine(Buffer.from(`${line}\n`), 0)).toEqual({ text: line, next: 65_535 });
    expect(readLine(Buffer.from(`${line}x`), 0)?.text).toBe(`${line}x`);
    expect(readLine(Buffer.from(`${line}xx`), 0)).toBeUndefined();
  });
});
