import fc from 'fast-check';
import type { EdmValue } from '../../src/model/edm.ts';
import { dateTimeTicksMin } from '../../src/model/ticks.ts';

/** 9999-12-31T23:59:59.9999999Z in ticks. */
export const dateTimeTicksMax = 3_155_378_975_999_999_999n;

/** Any sequence of UTF-16 units, including halves of surrogate pairs. */
export const units = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 0xffff }),
      fc.integer({ min: 0x20, max: 0x7e }),
      fc.integer({ min: 0xd7f0, max: 0xe010 }),
    ),
    {
      maxLength: 24,
    },
  )
  .map((codes) => String.fromCharCode(...codes));

/** Texts that look like the markup that surrounds them. */
export const hostile = fc
  .array(
    fc.constantFrom(
      '"',
      '\\',
      '\\"',
      ',',
      ':',
      '{',
      '}',
      '[',
      '@odata.type',
      '@odata.type":"Edm.',
      'Edm.Int64',
      '":"',
      '","',
      '","x@odata.type":"Edm.Int64","x":"5',
      '\u00e9',
      '\ud800',
      '\n',
      'null',
      '5',
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));

/** Well-formed text, which UTF-8 can encode. */
export const text = fc.string({ unit: 'grapheme', maxLength: 24 });

export const propertyName = fc.oneof(
  fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,9}$/),
  fc.stringMatching(/^[\u00e9\u0416\u4e2d_][\u00e9\u0416\u4e2da-z0-9]{0,5}$/),
  fc.constantFrom('__proto__', 'constructor', 'odata', 'type', 'Edm', 'toString', 'null'),
);

export const edmValue: fc.Arbitrary<EdmValue> = fc.oneof(
  fc.oneof(units, hostile, text).map((value): EdmValue => ({ type: 'Edm.String', value })),
  fc.boolean().map((value): EdmValue => ({ type: 'Edm.Boolean', value })),
  fc.integer().map((value): EdmValue => ({ type: 'Edm.Int32', value })),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value): EdmValue => ({ type: 'Edm.Int64', value })),
  fc.double().map((value): EdmValue => ({ type: 'Edm.Double', value })),
  fc
    .bigInt({ min: dateTimeTicksMin, max: dateTimeTicksMax })
    .map((value): EdmValue => ({ type: 'Edm.DateTime', value })),
  fc.uuid().map((value): EdmValue => ({ type: 'Edm.Guid', value })),
  fc.uint8Array({ maxLength: 20 }).map((bytes): EdmValue => ({ type: 'Edm.Binary', value: Buffer.from(bytes) })),
);

export const properties = fc
  .uniqueArray(fc.tuple(propertyName, edmValue), { maxLength: 8, selector: ([name]) => name })
  .map((entries) => new Map(entries));
