import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RepeatedHeads, readHeaders } from '../../../src/protocol/multipart-head.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

test('a head that repeats the previous one is parsed the same, and its body is found', () => {
  const heads = new RepeatedHeads();
  const first = heads.read(bytes('A: 1\r\n\r\nbody'), 0);
  const second = heads.read(bytes('PUT /\r\nA: 1\r\n\r\nother'), 7);
  expect(second?.headers).toBe(first?.headers);
  expect(second?.next).toBe(15);
});

test('a head that continues after the bytes of the previous one is read again', () => {
  const heads = new RepeatedHeads();
  heads.read(bytes('A: 1\r\n'), 0);
  expect({ ...heads.read(bytes('A: 1\r\nB: 2\r\n\r\n'), 0)?.headers }).toEqual({ a: '1', b: '2' });
});

test('heads are read in the same way as without remembered heads, for any parts', () => {
  const lines = fc.constantFrom(
    'A: 1\r\n',
    'a: 2\n',
    'B: 3\r\n',
    ' folded\r\n',
    'Content-ID: 1\r\n',
    'no header\r\n',
    '\r\n',
    '\n',
  );
  const part = fc.array(lines, { maxLength: 5 }).map((all) => bytes(`${all.join('')}body`));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      const heads = new RepeatedHeads();
      for (const each of parts) expect(heads.read(each, 0)).toEqual(readHeaders(each, 0));
    }),
  );
});
