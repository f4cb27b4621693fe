import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatBytes, formatMoment, formatSpan, visibleParts, visibleText } from '../../src/console/format.ts';

/** Characters that a browser does not show, and those that reverse the text around them. */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u;

describe('Text from outside', () => {
  it('contains no invisible character, and keeps every visible one', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const parts = visibleParts(text);
        expect(parts.map((part) => part.text).join('')).toBe(visibleText(text));
        expect(hidden.test(visibleText(text))).toBe(false);
        const shown = parts.filter(({ isEscape }) => !isEscape).map((part) => part.text);
        expect(shown.join('')).toBe(text.replace(new RegExp(hidden.source, 'gu'), ''));
      }),
    );
  });

  it.each([
    ['a\u202eb', ['a', '\\u202e', 'b']],
    ['\u0000', ['\\u0000']],
    ['\ud800', ['\\ud800']],
    ['\u{e0001}x', ['\\u{e0001}', 'x']],
    ['日本 😀', ['日本 😀']],
    ['', []],
  ])('shows %j as %j', (text, parts) => {
    expect(visibleParts(text).map((part) => part.text)).toEqual(parts);
  });
});

describe('Figures', () => {
  it('use the unit in which they have few digits', () => {
    expect([0, 1023, 1024, 1_572_864, 5 * 1024 ** 4].map(formatBytes)).toEqual([
      '0 B',
      expect.stringMatching(/^1[,.]?020 B$/),
      '1 KiB',
      expect.stringMatching(/^1[.,]5 MiB$/),
      expect.stringMatching(/^5[.,]?120 GiB$/),
    ]);
  });

  it('leave a text that is not a date as it is', () => {
    expect(formatMoment('tomorrow')).toBe('tomorrow');
    expect(formatMoment('2026-01-31T12:00:00Z')).toContain('2026');
  });
});

describe('A span of time', () => {
  it.each([
    [20 * 60_000, '20 min'],
    [86_400_000 + 3_600_000 + 59_000, '1 d 1 h'],
    [5_399_999, '1 h 30 min'],
    [59_600, '1 min'],
    [1_000, '1 s'],
    [400, '400 ms'],
    [0, '0 ms'],
  ])('of %d ms is %s', (ms, text) => {
    expect(formatSpan(ms)).toBe(text);
  });
});
