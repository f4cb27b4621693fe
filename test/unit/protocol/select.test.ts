import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/model/service-error.ts';
import { parseSelect } from '../../../src/protocol/select.ts';
import { propertyName } from '../../support/arbitrary-values.ts';

const listed = (text: string | undefined): string[] | undefined => {
  const { names } = parseSelect(text);
  return names && [...names];
};

describe('$select', () => {
  it.each([
    [undefined, undefined, ''],
    ['', undefined, '&$select='],
    [' ', undefined, '&$select='],
    [',', undefined, '&$select=,'],
    ['*', undefined, '&$select=*'],
    ['a,*', undefined, '&$select=a,*'],
    ['a', ['a'], '&$select=a'],
    ['a,b', ['a', 'b'], '&$select=a,b'],
    ['a, b', ['a', 'b'], '&$select=a,%20b'],
    ['age,sex,', ['age', 'sex'], '&$select=age,sex,'],
    ['b,a,b', ['b', 'a'], '&$select=b,a,b'],
    ['\u00e9,_x,__proto__', ['\u00e9', '_x', '__proto__'], '&$select=\u00e9,_x,__proto__'],
  ])('%j names %j and adds %s to the metadata address', (text, names, suffix) => {
    expect(listed(text)).toEqual(names);
    expect(parseSelect(text).metadataSuffix).toBe(suffix);
  });

  it('contains the listed names, each once, with any spaces between them', () => {
    const spaced = fc.tuple(fc.constantFrom('', ' ', '  '), propertyName, fc.constantFrom('', ' '));
    fc.assert(
      fc.property(fc.array(spaced, { minLength: 1, maxLength: 6 }), (items) => {
        const names = items.map(([, name]) => name);
        expect(listed(items.map((item) => item.join('')).join(','))).toEqual([...new Set(names)]);
      }),
    );
  });

  it.each(["['age, sex']", '1a', '-', "a,'b'", 'a;b', 'a b', '(a)', '\u0301'])('%j contains no names', (text) => {
    expect(() => parseSelect(text)).toThrow(ServiceError);
    expect(() => parseSelect(text)).toThrow(/^An identifier was expected at position \d+\.$/);
  });

  it('reports the position at which a name was expected', () => {
    expect(() => parseSelect("['age, sex']")).toThrow('An identifier was expected at position 0.');
  });
});
