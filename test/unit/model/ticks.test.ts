import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createMomentFormat,
  createMomentTextFormat,
  dateTimeTicksMin,
  formatTicks,
  formatTicksFull,
  formatTicksInvariant,
  parseDateTime,
  ticksFromMs,
} from '../../../src/model/ticks.ts';
import { dateTimeTicksMax } from '../../support/arbitrary-values.ts';

const anyTicks = fc.bigInt({ min: 0n, max: dateTimeTicksMax });
/** 1970-01-01 in ticks since the year 1, as in .NET. */
const unixEpoch = 621_355_968_000_000_000n;

describe('Ticks and their text', () => {
  it.each([
    [0n, '0001-01-01T00:00:00Z'],
    [1n, '0001-01-01T00:00:00.0000001Z'],
    [dateTimeTicksMin, '1601-01-01T00:00:00Z'],
    [unixEpoch, '1970-01-01T00:00:00Z'],
    [unixEpoch - 1n, '1969-12-31T23:59:59.9999999Z'],
    [unixEpoch + 2_830_000n, '1970-01-01T00:00:00.283Z'],
    [630_822_816_000_000_000n, '2000-01-01T00:00:00Z'],
    [dateTimeTicksMax, '9999-12-31T23:59:59.9999999Z'],
  ])('%d is %s', (ticks, text) => {
    expect(formatTicks(ticks)).toBe(text);
    expect(parseDateTime(text)).toBe(ticks);
  });

  it('read back as they were', () => {
    fc.assert(fc.property(anyTicks, (ticks) => parseDateTime(formatTicks(ticks)) === ticks));
    fc.assert(fc.property(anyTicks, (ticks) => parseDateTime(formatTicksFull(ticks)) === ticks));
  });

  it('agree with JavaScript to the millisecond', () => {
    fc.assert(
      fc.property(anyTicks, (ticks) => {
        const ms = Number((ticks - unixEpoch) / 10_000n - (ticks % 10_000n !== 0n && ticks < unixEpoch ? 1n : 0n));
        return formatTicksFull(ticks).slice(0, 23) === new Date(ms).toISOString().slice(0, 23);
      }),
    );
  });

  it('have no trailing zero in the fraction, and seven digits in the full form', () => {
    fc.assert(
      fc.property(anyTicks, (ticks) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{0,6}[1-9])?Z$/.test(formatTicks(ticks))),
    );
    fc.assert(
      fc.property(anyTicks, (ticks) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z$/.test(formatTicksFull(ticks))),
    );
  });

  it('are the same for each form of a moment, and after any other moment was formatted', () => {
    const format = createMomentFormat();
    const formatText = createMomentTextFormat();
    const second = fc.constantFrom(0n, 1n, 630_822_816_000_000_000n, dateTimeTicksMax - 9_999_999n);
    const near = fc.tuple(second, fc.bigInt({ min: 0n, max: 9_999_999n })).map(([start, rest]) => start + rest);
    fc.assert(
      fc.property(fc.oneof(anyTicks, near), (ticks) => {
        const [seconds, fraction] = [Number(ticks / 10_000_000n), Number(ticks % 10_000_000n)];
        const digits = String(fraction).padStart(7, '0');
        return format(seconds, fraction) === formatTicks(ticks) && formatText(seconds, digits) === formatTicks(ticks);
      }),
    );
  });

  it('are month, day, year in the invariant format', () => {
    expect(formatTicksInvariant(0n)).toBe('01/01/0001 00:00:00');
    expect(formatTicksInvariant(dateTimeTicksMin - 1n)).toBe('12/31/1600 23:59:59');
  });
});

describe('ticksFromMs', () => {
  it.each([
    [0, unixEpoch],
    [1, unixEpoch + 10_000n],
    [0.25, unixEpoch + 2500n],
    [1_700_000_000_000.5, unixEpoch + 17_000_000_000_005_000n],
  ])('of %d', (ms, ticks) => {
    expect(ticksFromMs(ms)).toBe(ticks);
  });

  it('never decreases over time', () => {
    const ms = fc.double({ min: 0, max: 4e12, noNaN: true });
    fc.assert(
      fc.property(ms, ms, (a, b) => (a <= b ? ticksFromMs(a) <= ticksFromMs(b) : ticksFromMs(a) >= ticksFromMs(b))),
    );
  });
});

describe('parseDateTime', () => {
  it.each([
    ['2008-07-10T00:00:00', '2008-07-10T00:00:00Z'],
    ['2024-02-29', '2024-02-29T00:00:00Z'],
    ['2024-02-29Z', '2024-02-29T00:00:00Z'],
    ['2023-12', '2023-12-01T00:00:00Z'],
    ['2008-07-10T00:00', '2008-07-10T00:00:00Z'],
    ['2008-07-10T00:00Z', '2008-07-10T00:00:00Z'],
    ['2008-07-10T00:00:00.5Z', '2008-07-10T00:00:00.5Z'],
    ['2008-07-10T00:00:00.1234567Z', '2008-07-10T00:00:00.1234567Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
    ['2000-02-29T23:59:59.9999999Z', '2000-02-29T23:59:59.9999999Z'],
    ['2020-01-01T00:00:00+00:00', '2020-01-01T00:00:00Z'],
    ['2020-01-01T00:30:00+01:00', '2019-12-31T23:30:00Z'],
    ['2019-12-31T23:30:00-01:00', '2020-01-01T00:30:00Z'],
    ['2020-03-01T05:45:00.1+05:45', '2020-03-01T00:00:00.1Z'],
    // The forms that XmlConvert.ToDateTime reads, and forms without seconds, which ODataLib adds before.
    ['2023', '2023-01-01T00:00:00Z'],
    ['2023Z', '2023-01-01T00:00:00Z'],
    ['2023-02:00', '2023-01-01T02:00:00Z'],
    ['2023-05Z', '2023-05-01T00:00:00Z'],
    ['2023-05-02:00', '2023-05-01T02:00:00Z'],
    ['2023-05-06+02:00', '2023-05-05T22:00:00Z'],
    ['2023-01-01T10:20.5Z', '2023-01-01T10:20:00.5Z'],
    ['2023-01-01T10:20+01:00', '2023-01-01T09:20:00Z'],
    ['2023-01-01T00:00:00z', '2023-01-01T00:00:00Z'],
    [' 2023-01-01T00:00:00Z\n', '2023-01-01T00:00:00Z'],
    // If there are more digits than ticks can express, the value is rounded, and half a tick goes to an even one.
    ['2023-01-01T00:00:00.12345674Z', '2023-01-01T00:00:00.1234567Z'],
    ['2023-01-01T00:00:00.123456749999Z', '2023-01-01T00:00:00.1234567Z'],
    ['2023-01-01T00:00:00.12345675Z', '2023-01-01T00:00:00.1234568Z'],
    ['2023-01-01T00:00:00.12345665Z', '2023-01-01T00:00:00.1234566Z'],
    ['2023-01-01T00:00:00.123456650000Z', '2023-01-01T00:00:00.1234566Z'],
    ['2023-01-01T00:00:00.123456650001Z', '2023-01-01T00:00:00.1234567Z'],
    ['2023-12-31T23:59:59.99999995Z', '2024-01-01T00:00:00Z'],
    ['2023-12-31T23:59:59.9999999499Z', '2023-12-31T23:59:59.9999999Z'],
  ])('reads %s as %s', (text, expected) => {
    expect(formatTicks(parseDateTime(text)!)).toBe(expected);
  });

  it('rounds any number of digits to ticks, and half a tick to an even number', () => {
    const digits = fc.oneof(
      fc.stringMatching(/^\d{1,30}$/),
      fc.tuple(fc.stringMatching(/^\d{7}$/), fc.stringMatching(/^[456][09]{0,20}$/)).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(digits, (fraction) => {
        // This is exact: the value times 10^length is a whole number, and so is a tick times 10^length.
        const scale = 10n ** BigInt(fraction.length);
        const [whole, rest] = [(BigInt(fraction) * 10_000_000n) / scale, (BigInt(fraction) * 10_000_000n) % scale];
        const isUp = rest * 2n > scale || (rest * 2n === scale && whole % 2n === 1n);
        const start = parseDateTime('2023-01-01T00:00:00Z')!;
        expect(parseDateTime(`2023-01-01T00:00:00.${fraction}Z`)).toBe(start + whole + (isUp ? 1n : 0n));
      }),
      { numRuns: 500 },
    );
  });

  it('applies an offset', () => {
    const minutes = fc.integer({ min: -14 * 60, max: 14 * 60 });
    const inner = fc.bigInt({ min: dateTimeTicksMin, max: dateTimeTicksMax - 10n ** 12n });
    fc.assert(
      fc.property(inner, minutes, (ticks, offset) => {
        const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
        const zone = `${offset < 0 ? '-' : '+'}${two(Math.abs(offset) / 60)}:${two(Math.abs(offset) % 60)}`;
        return parseDateTime(formatTicks(ticks).replace('Z', zone)) === ticks - BigInt(offset) * 600_000_000n;
      }),
    );
  });

  it.each([
    '',
    '2023-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2023-04-31T00:00:00Z',
    '2023-00-01T00:00:00Z',
    '2023-13-01T00:00:00Z',
    '2023-01-00T00:00:00Z',
    '2023-01-32T00:00:00Z',
    '2023-01-01T24:00:00Z',
    '2023-01-01T00:60:00Z',
    '2023-01-01T00:00:60Z',
    '0000-01-01T00:00:00Z',
    '10000-01-01T00:00:00Z',
    '2023-02-29',
    '2023-13',
    '2023-1',
    '2023-01-01T',
    '2023-01T00:00:00Z',
    '2023-01-01 00:00:00Z',
    '2023-01-01T00:00:00.Z',
    '2023-01-01T00:00:00+1:00',
    '2023-01-01T00:00:00+0100',
    '\u0662023-01-01T00:00:00Z',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59.9999999-00:01',
    '2023-01-01t00:00:00Z',
    '2023-01-01T00:00:00ZZ',
    '2023-01-01T00:00:00.5.5Z',
    '12:00:00',
    '--12-25',
    '20231',
    '2023+2:00',
    '2023-01-01T00:00:00+14:01',
    '9999-12-31T23:59:59.99999995Z',
    '10000',
    '9999-12-31T23:59:59-24:00',
  ])('refuses %j', (text) => {
    expect(parseDateTime(text)).toBeUndefined();
  });

  it('returns no moment outside the years 1 to 9999', () => {
    const two = (max: number) => fc.integer({ min: 0, max }).map((value) => String(value).padStart(2, '0'));
    const zone = fc
      .tuple(fc.constantFrom('+', '-'), two(23), two(59))
      .map(([sign, hours, minutes]) => `${sign}${hours}:${minutes}`);
    const edges = fc.constantFrom(
      '0001-01-01T00:00:00',
      '9999-12-31T23:59:59',
      '0001-01-02T00:00:00',
      '9999-12-30T23:59:59',
    );
    fc.assert(
      fc.property(edges, zone, (moment, offset) => {
        const ticks = parseDateTime(moment + offset);
        return ticks === undefined || (ticks >= 0n && ticks <= dateTimeTicksMax);
      }),
    );
  });
});
