import { describe, expect, it } from 'vitest';
import { MultipartReader, parseBoundary } from '../../../src/protocol/multipart.ts';
import { DelimiterSearch } from '../../../src/protocol/multipart-delimiters.ts';
import { readHeaders, readLine, skipBlankLines } from '../../../src/protocol/multipart-head.ts';

function split(text: string, boundary = 'b'): { parts: string[]; end: MultipartReader['end'] } {
  const reader = new MultipartReader(Buffer.from(text, 'latin1'), boundary);
  const parts = partsOf(reader);
  return { parts, end: reader.end };
}

function partsOf(reader: MultipartReader): string[] {
  const parts: string[] = [];
  for (let part = reader.next(); part !== undefined; part = reader.next()) parts.push(part.toString('latin1'));
  return parts;
}

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
    ['with CR', '--b\rone\r--b\rtwo\r--b--\r', ['one', 'two']],
    ['with all three', '--b\r\none\r--b\ntwo\r\n--b--', ['one', 'two']],
    ['with a preamble and an epilogue', 'hello\r\n\r\n--b\r\none\r\n--b--\r\n--b\r\nnot this', ['one']],
    ['with blank lines at the start', '\r\n\r\n--b\r\none\r\n--b--', ['one']],
    ['with white space after its delimiters', '--b  \r\none\r\n--b\t\v\r\ntwo\r\n--b-- \u00a0\r\n', ['one', 'two']],
    ['with a last delimiter that lacks its hyphens', '--b\r\none\r\n--b', ['one']],
    ['with such a delimiter and blank lines', '--b\r\none\r\n--b\r\n\r\n \r\n', ['one']],
    ['with an empty part', '--b\r\n--b--', ['']],
    ['with a part of one blank line', '--b\r\n\r\n--b--', ['']],
    ['with a part of two blank lines', '--b\r\n\r\n\r\n--b--', ['\r\n']],
    ['with no part', '--b--\r\n', []],
    ['with an extra carriage return before a line feed', '--b\none\r\r\n--b--', ['one\r']],
    ['with delimiters directly behind its parts', '--b\n{one}--b\n{two}--b--', ['{one}', '{two}']],
    ['with its boundary at the end of a line', '--b\none --b\n--b--', ['one ', '']],
    ['with its boundary inside a line', '--b\none --b two --b-- three--b-\n--b--', ['one --b two --b-- three--b-']],
    ['with hyphens before its delimiters', '--b\none----b\n---b--', ['one--', '-']],
    ['with a delimiter behind a false one', '--b\none --b --b\ntwo--b--', ['one --b ', 'two']],
    [
      'with a longer line that starts with its boundary',
      '--b\n--bb\n--b-\n--b--x\n--b x\n--b--',
      ['--bb\n--b-\n--b--x\n--b x'],
    ],
    ['with a false delimiter first', '--bb\n--b\none\n--b--', ['one']],
    ['with bytes of every kind', '--b\n\u0000\u0080\u00ff\r\n--b--', ['\u0000\u0080\u00ff']],
  ])('%s is split', (_, text, parts) => {
    expect(split(text)).toEqual({ parts, end: 'closed' });
  });

  it.each([
    ['is empty', '', [], 'absent'],
    ['has no delimiter', 'hello --b hello', [], 'absent'],
    ['ends in the middle of its first part', '--b\r\none\r\n', ['one\r\n'], 'open'],
    ['ends in the middle of a later part', '--b\r\none\r\n--b\r\ntwo\r\n--', ['one', 'two\r\n--'], 'open'],
    ['ends in a delimiter that is cut short', '--b\r\none\r\n--', ['one\r\n--'], 'open'],
  ] as const)('says so if it %s', (_, text, parts, end) => {
    expect(split(text)).toEqual({ parts, end });
  });

  it('has no part after the last one', () => {
    const reader = new MultipartReader(Buffer.from('--b\none\n--b--\n--b\ntwo\n--b--\n'), 'b');
    expect([reader.next()?.toString(), reader.next(), reader.next()]).toEqual(['one', undefined, undefined]);
  });

  it('may have any valid boundary', () => {
    const boundary = "=_a 'b'(c)+,./:?--";
    expect(split(`--${boundary}\r\none\r\n--${boundary}--\r\n`, boundary).parts).toEqual(['one']);
  });

  // With a parser that is not linear, the test would exceed its time limit.
  it.each<[string, string, string, number, MultipartReader['end']]>([
    ['all hyphens', '-'.repeat(4_194_304), '-'.repeat(70), 0, 'closed'],
    ['hyphens and a letter', `${'-'.repeat(4_194_303)}x`, '-'.repeat(70), 0, 'absent'],
    ['hyphens before each letter of its boundary', `--b${'-'.repeat(4_194_301)}`, `${'-'.repeat(69)}b`, 0, 'absent'],
    ['false delimiters throughout', '--b\n--bx\n'.repeat(466_000), 'b', 466_000, 'open'],
    ['false delimiters in one part', `--b\n${'--bx\n'.repeat(838_000)}--b--`, 'b', 1, 'closed'],
    ['false delimiters in one line', `--b\n${'--b '.repeat(1_048_000)}x\n--b--`, 'b', 1, 'closed'],
    ['delimiters throughout', '--b\n'.repeat(1_000_000), 'b', 999_999, 'closed'],
    ['nothing but line ends', '\n'.repeat(4_194_304), 'b', 0, 'absent'],
    ['nothing but carriage returns', `--b${'\r'.repeat(4_194_300)}`, 'b', 0, 'closed'],
    ['white space after its delimiters', `--b\nx${`\n--b${' '.repeat(1000)}x`.repeat(4000)}\n--b`, 'b', 1, 'closed'],
  ])('of 4 MiB may be %s', (_, text, boundary, parts, end) => {
    const read = split(text, boundary);
    expect([read.parts.length, read.end]).toEqual([parts, end]);
  });
});

describe('A multipart body inside another', () => {
  /**
   * Reads the first part of the outer body as a separate multipart body. Then reads the remaining parts of the outer
   * body.
   */
  function readInside(text: string, inner: string, outer = 'o') {
    const reader = new MultipartReader(Buffer.from(text), outer);
    reader.next();
    const inside = reader.inside(0, inner);
    const parts = partsOf(inside);
    return { parts, end: inside.end, others: partsOf(reader), outerEnd: reader.end };
  }

  it.each([
    ['its last delimiter', '--o\n--i\none\n--i\ntwo\n--i--\n--o\nnext\n--o--', ['one', 'two'], 'closed'],
    ['its last delimiter without hyphens', '--o\n--i\none\n--i\ntwo\n--i\n--o\nnext\n--o--', ['one', 'two'], 'closed'],
    ['an outer delimiter', '--o\n--i\none\n--i\ntwo\n--o\nnext\n--o--', ['one', 'two'], 'open'],
    ['an outer delimiter directly behind a part', '--o\n--i\none--i\ntwo--o\nnext--o--', ['one', 'two'], 'open'],
    ['an outer delimiter before its first own', '--o\nx\n--o\nnext\n--o--', [], 'absent'],
  ] as const)('ends with %s', (_, text, parts, end) => {
    expect(readInside(text, 'i')).toEqual({ parts, end, others: ['next'], outerEnd: 'closed' });
  });

  it('may end with the text of the outer body', () => {
    expect(readInside('--o\n--i\none', 'i')).toEqual({ parts: ['one'], end: 'open', others: [], outerEnd: 'open' });
  });

  // A delimiter that fits both boundaries counts as a delimiter of the inner one, as in ODataLib.
  it.each([
    ['the same', 'o', '--o\n--o\none\n--o\ntwo\n--o--\n--o\nnext\n--o--'],
    ['the outer one with hyphens', 'o--', '--o\n--o--\none\n--o--\ntwo\n--o----\n--o\nnext\n--o--'],
    ['the beginning of the outer one', 'o', '--oo\n--o\none\n--o\ntwo\n--o--\n--oo\nnext\n--oo--', 'oo'],
    ['longer than the outer one', 'oo', '--o\n--oo\none\n--oo\ntwo\n--oo--\n--o\nnext\n--o--'],
  ])('may have a boundary that is %s', (_, inner, text, outer = 'o') => {
    expect(readInside(text, inner, outer)).toMatchObject({ parts: ['one', 'two'], end: 'closed', others: ['next'] });
  });
});

describe('The search for a delimiter', () => {
  // Once with more false matches than the native search tolerates, and once with none.
  it.each([0, 200])('ends at the given position, after %s false matches', (misses) => {
    const body = Buffer.from(`${'--bx\n'.repeat(misses)}text\n--b\n`);
    const at = body.length - 4;
    const search = new DelimiterSearch(body, 'b');
    expect(search.firstFrom(0, at - 1)).toBeUndefined();
    expect(search.firstFrom(0, at)).toMatchObject({ at });
    expect(search.firstFrom(0)).toMatchObject({ at });
  });
});

describe('The head of a part', () => {
  it('is not read if it is longer than the head of a request may be', () => {
    const folded = (lines: number): Buffer => Buffer.from(`a: b\n${` ${'c'.repeat(1_022)}\n`.repeat(lines)}\n`);
    expect(readHeaders(folded(60), 0)?.headers['a']).toHaveLength(1 + 60 * 1_023);
    expect(readHeaders(folded(80), 0)).toBeUndefined();
  });

  const read = (text: string) => readHeaders(Buffer.from(text), 0);

  it.each([
    ['has lower-case names and trimmed values', 'CONTENT-Type :  a/b \r\nX:\r\n\r\n', { 'content-type': 'a/b', x: '' }],
    ['may end with the part', 'A: 1\nB: 2', { a: '1', b: '2' }],
    ['may end its lines with LF', 'A: 1\nB: 2\n\nbody', { a: '1', b: '2' }],
    ['may end its lines with CR', 'A: 1\rB: 2\r\rbody', { a: '1', b: '2' }],
    ['may be empty', '\r\nbody', {}],
    ['may fold a header', 'A: 1;\r\n\tb=2\r\nC: 3\r\n\r\n', { a: '1; b=2', c: '3' }],
    ['joins repeated headers', 'A: 1\r\na: 2\r\n\r\n', { a: '1, 2' }],
    ['has one Content-Type, the first', 'Content-Type: a\r\nContent-Type: b\r\n\r\n', { 'content-type': 'a' }],
    ['is read as UTF-8', 'A: \u00e9\r\n\r\n', { a: '\u00e9' }],
    ['keeps colons in values', 'Host: a:1\r\n\r\n', { host: 'a:1' }],
  ])('%s', (_, text, headers) => {
    expect(read(text)?.headers).toEqual(headers);
  });

  it('has no header that could change a prototype', () => {
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
    ['a control character', 'A: \u0001\r\n\r\n'],
    ['a line of 64 KiB', `A: ${'x'.repeat(65_536)}\r\n\r\n`],
    ['more than 100 lines', 'A: 1\r\n'.repeat(101)],
  ])('is malformed with %s', (_, text) => {
    expect(read(text)).toBeUndefined();
  });

  it('may have lines of just under 64 KiB', () => {
    const line = 'x'.repeat(65_534);
    expect(readLine(Buffer.from(`${line}\n`), 0)).toEqual({ text: line, next: 65_535 });
    expect(readLine(Buffer.from(`${line}x`), 0)?.text).toBe(`${line}x`);
    expect(readLine(Buffer.from(`${line}xx`), 0)).toBeUndefined();
  });
});
