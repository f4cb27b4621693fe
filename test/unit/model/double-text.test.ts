import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDouble } from '../../../src/model/double-text.ts';

describe('The text of a Double', () => {
  it.each([
    [1, '1.0'],
    [5, '5.0'],
    [3.0, '3.0'],
    [0, '0.0'],
    [-0, '-0.0'],
    [-7, '-7.0'],
    [2.5, '2.5'],
    [200.23, '200.23'],
    [1234.1234, '1234.1234'],
    [-1234.1234, '-1234.1234'],
    [0.1, '0.1'],
    [0.1 + 0.2, '0.30000000000000004'],
    [1 / 3, '0.33333333333333331'],
    [1.23456789012346e24, '1.23456789012346E+24'],
    [123456789012345, '123456789012345.0'],
    [999999999999999, '999999999999999.0'],
    [1e15, '1E+15'],
    [1.5e15, '1.5E+15'],
    [1234567890123456.8, '1234567890123456.8'],
    [1234567890123456, '1234567890123456.0'],
    [2 ** 53 + 2, '9007199254740994.0'],
    [12345678901234568, '12345678901234568.0'],
    [1e21, '1E+21'],
    [1e100, '1E+100'],
    // A number exactly halfway between two texts of 17 digits gets the text that ends with an even digit. Evidence:
    // recorded for the first number (azure-storage-node).
    [123456789012345 + 0.125, '123456789012345.12'],
    [-(123456789012345 + 0.125), '-123456789012345.12'],
    [123456789012345 + 0.375, '123456789012345.38'],
    [999999999999999 + 0.125, '999999999999999.12'],
    [2.5 + 2 ** -17, '2.5000076293945312'],
    [0.0001, '0.0001'],
    [0.00012345, '0.00012345'],
    [0.00001, '1E-05'],
    [0.000012345, '1.2345E-05'],
    [5e-324, '4.94065645841247E-324'],
    [2.2250738585072014e-308, '2.2250738585072014E-308'],
    [1.7976931348623157e308, '1.7976931348623157E+308'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
    [Number.NEGATIVE_INFINITY, '-Infinity'],
  ])('of %d is %s', (value, text) => {
    expect(formatDouble(value)).toBe(text);
  });

  const finite = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer().map((value) => value / 1000),
    fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }).map(Number),
    fc
      .tuple(fc.integer({ min: 1, max: 999_999 }), fc.integer({ min: -20, max: 20 }))
      .map(([digits, exponent]) => Number(`${digits}e${exponent}`)),
  );

  it('reads back as the same number, including the sign of zero', () => {
    fc.assert(fc.property(finite, (value) => Object.is(Number(formatDouble(value)), value)));
  });

  it('has the form of .NET: a point or an exponent, no superfluous zero', () => {
    const plain = /^-?(?:0|[1-9]\d*)\.(?:0|\d*[1-9])$/;
    const exponential = /^-?[1-9](?:\.\d*[1-9])?E(?:\+|-)(?:\d{2}|[1-9]\d{2})$/;
    fc.assert(
      fc.property(finite, (value) => {
        const text = formatDouble(value);
        return plain.test(text) || exponential.test(text);
      }),
    );
  });

  it('has fifteen significant digits if they suffice, otherwise seventeen', () => {
    fc.assert(
      fc.property(finite, (value) => {
        const digitsIn = (text: string): string =>
          text.replace(/e.*$/i, '').replace(/[-.]/g, '').replace(/^0+/, '').replace(/0+$/, '');
        const short = value.toPrecision(15);
        if (Number(short) === value) return digitsIn(formatDouble(value)) === digitsIn(short);
        const digits = digitsIn(formatDouble(value));
        // A number exactly between two texts may be rounded differently from toPrecision.
        return digits === digitsIn(value.toPrecision(17)) || value.toPrecision(18).endsWith('5');
      }),
    );
  });

  it('has an exponent only for large and small numbers', () => {
    fc.assert(
      fc.property(finite, (value) => {
        if (value === 0) return !formatDouble(value).includes('E');
        const isShort = Number(value.toPrecision(15)) === value;
        const exponent = Number(value.toExponential(isShort ? 14 : 16).split('e')[1]);
        return formatDouble(value).includes('E') === (exponent >= (isShort ? 15 : 17) || exponent <= -5);
      }),
    );
  });
});
