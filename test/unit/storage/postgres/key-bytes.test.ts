import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeKeyBytes, encodeKeyBytes } from '../../../../src/storage/postgres/key-bytes.ts';

/** Texts of any code units, including halves of surrogate pairs. */
const texts = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 0xffff }),
      fc.constantFrom(0, 0x5c, 0x7f, 0x80, 0x7ff, 0x800, 0xd800, 0xdfff, 0xe000),
    ),
  )
  .map((units) => String.fromCharCode(...units));

/** The result of PostgreSQL's `encode(…, 'escape')`. */
const escaped = (bytes: Buffer): string =>
  [...bytes]
    .map((byte) => {
      if (byte === 0x5c) return '\\\\';
      return byte === 0 || byte > 0x7f ? `\\${byte.toString(8).padStart(3, '0')}` : String.fromCharCode(byte);
    })
    .join('');

describe('The bytes of a key', () => {
  it('have the same order as the texts in JavaScript and .NET', () => {
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        expect(Math.sign(Buffer.compare(encodeKeyBytes(a), encodeKeyBytes(b)))).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
      { numRuns: 2000 },
    );
  });

  it('are read back as the same text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(decodeKeyBytes(escaped(encodeKeyBytes(text)))).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });
});
