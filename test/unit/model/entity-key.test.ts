import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareKeys } from '../../../src/model/entity.ts';
import { checkAddressKey, checkBodyKey } from '../../../src/model/entity-key.ts';
import { ServiceError } from '../../../src/model/service-error.ts';
import { units } from '../../support/arbitrary-values.ts';

function codeOf(check: () => void): string {
  try {
    check();
    return 'accepted';
  } catch (error) {
    return error instanceof ServiceError ? `${error.code} ${error.stage}` : String(error);
  }
}

/** Whether the data model forbids a character in keys: slashes, `#`, `?` and control characters. */
function isForbidden(unit: string): boolean {
  const code = unit.charCodeAt(0);
  return '/\\#?'.includes(unit) || code < 0x20 || (code >= 0x7f && code <= 0x9f);
}

const isWellFormed = (text: string): boolean => Buffer.from(text, 'utf8').toString('utf8') === text;

describe('A key in a body', () => {
  it('is refused for characters that are not allowed, and for half a surrogate pair', () => {
    fc.assert(
      fc.property(units, units, (partitionKey, rowKey) => {
        const expected = [partitionKey, rowKey]
          .map((part) =>
            isWellFormed(part)
              ? [...part].some(isForbidden)
                ? 'OutOfRangeInput parse'
                : 'accepted'
              : 'InvalidInput parse',
          )
          .find((code) => code !== 'accepted');
        expect(codeOf(() => checkBodyKey({ partitionKey, rowKey }))).toBe(expected ?? 'accepted');
      }),
      { numRuns: 500 },
    );
  });
});

describe('A key in an address', () => {
  it('is refused for a slash first, and then for other characters', () => {
    fc.assert(
      fc.property(units, units, (partitionKey, rowKey) => {
        const both = partitionKey + rowKey;
        const hasSlash = both.includes('/') || both.includes('\\');
        const expected = hasSlash
          ? 'InvalidInput parse'
          : [...both].some(isForbidden)
            ? 'OutOfRangeInput execute'
            : 'accepted';
        expect(codeOf(() => checkAddressKey({ partitionKey, rowKey }))).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });
});

describe('The order of keys', () => {
  it('is by partition key and then by row key, compared by UTF-16 units', () => {
    const key = fc.record({ partitionKey: units, rowKey: units });
    fc.assert(
      fc.property(key, key, (a, b) => {
        const joined = (one: typeof a): number[] =>
          [one.partitionKey, one.rowKey].flatMap((part) => [
            ...Array.from(part.split(''), (unit) => unit.charCodeAt(0) + 1),
            0,
          ]);
        expect(Math.sign(compareKeys(a, b))).toBe(compareLists(joined(a), joined(b)));
      }),
    );
  });
});

function compareLists(a: readonly number[], b: readonly number[]): number {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const difference = (a[index] ?? -1) - (b[index] ?? -1);
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;
}
