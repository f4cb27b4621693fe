import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/model/service-error.ts';
import { checkTableReference, parseTableName, tableLookup, tableReference } from '../../../src/model/table-name.ts';

function codeOf(text: string): string {
  try {
    return parseTableName(text) === text ? 'accepted' : 'changed';
  } catch (error) {
    return error instanceof ServiceError ? error.code : String(error);
  }
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const digits = '0123456789';

/** The expected error code, by the rules one after the other in the order in which they are checked. */
function expectedCode(text: string): string {
  const units = [...text];
  if (units.length === 0 || !letters.includes(units[0]!)) return 'InvalidResourceName';
  if (units.some((unit) => !(letters + digits).includes(unit))) return 'InvalidResourceName';
  if (units.length < 3 || units.length > 63) return 'OutOfRangeInput';
  return text.toLowerCase() === 'tables' ? 'InvalidInput' : 'accepted';
}

describe('The name of a table', () => {
  it('has three to 63 letters and digits, begins with a letter, and is not "tables"', () => {
    const near = fc
      .array(fc.constantFrom(...letters, ...digits, '_', '-', ' ', '\u00e9', '\n'), { maxLength: 70 })
      .map((units) => units.join(''));
    const good = fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{0,66}$/);
    const reserved = fc.mixedCase(fc.constant('tables'));
    fc.assert(
      fc.property(fc.oneof(near, good, reserved), (text) => {
        expect(codeOf(text)).toBe(expectedCode(text));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['abc', 'accepted'],
    ['ab', 'OutOfRangeInput'],
    ['a'.repeat(63), 'accepted'],
    ['a'.repeat(64), 'OutOfRangeInput'],
    ['abc\n', 'InvalidResourceName'],
    ['\u0430bc', 'InvalidResourceName'],
    ['tableS', 'InvalidInput'],
    ['tables1', 'accepted'],
  ])('%j: %s', (text, code) => {
    expect(codeOf(text)).toBe(code);
  });

  it.each([
    ['abc', undefined],
    ['tables', undefined],
    ['$MetricsTransactionsTable', undefined],
    ['$', undefined],
    ['1table', 'InvalidResourceName'],
    ['my_table', 'InvalidResourceName'],
    ['a//', 'OutOfRangeInput'],
    ['1//', 'InvalidResourceName'],
    ['abc/', 'InvalidResourceName'],
    ['a$b', 'InvalidResourceName'],
    ['aa', 'OutOfRangeInput'],
    ['a'.repeat(64), 'OutOfRangeInput'],
  ])('in an address is checked, %j: %s', (name, code) => {
    const check = (): string | undefined => {
      try {
        checkTableReference(tableReference(name));
      } catch (error) {
        return error instanceof ServiceError ? error.code : String(error);
      }
      return undefined;
    };
    expect(check()).toBe(code);
  });

  it('in an address has its lookup form', () => {
    expect(tableReference('MixedCase9')).toEqual({ name: 'MixedCase9', lookup: 'mixedcase9' });
  });

  it('is looked up case-insensitively', () => {
    expect(tableLookup('MixedCase9')).toBe('mixedcase9');
  });
});
