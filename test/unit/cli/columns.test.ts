import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clip, clipMiddle, columnsOf, wrap } from '../../../src/cli/columns.ts';
import { text } from '../../support/arbitrary-values.ts';

describe('columnsOf', () => {
  it.each([
    ['', 0],
    ['orders', 6],
    ['·…é', 3],
    ['東京', 4],
    ['한글', 4],
    ['ｆｕｌｌ', 8],
    ['𠀀', 2],
    ['😀🚀', 4],
    ['e\u0301', 1],
    ['a\u200db\ufeff', 2],
    ['❤\ufe0f', 2],
    ['👩\u200d🚀', 2],
    ['🇩🇪', 2],
    ['ｶﾞ', 2],
  ])('counts %j as %i', (text, columns) => {
    expect(columnsOf(text)).toBe(columns);
  });
});

describe('clip', () => {
  it('does not change a text that fits', () => {
    expect(clip('東京', 4)).toBe('東京');
    expect(clip('orders', 6)).toBe('orders');
  });

  it('counts double width, and includes the ellipsis in the width', () => {
    expect(clip('東京タワー', 9)).toBe('東京タワ…');
    expect(clip('東京タワー', 8)).toBe('東京タ…');
    expect(clip('orders', 5)).toBe('orde…');
  });

  it('never splits a surrogate pair, or a mark from its letter', () => {
    expect(clip('ab😀cd', 4)).toBe('ab…');
    expect(clip('ab😀cd', 5)).toBe('ab😀…');
    expect(clip('e\u0301abc', 2)).toBe('e\u0301…');
    expect(clip('😀😀😀', 4)).toBe('😀…');
  });
});

describe('clipMiddle', () => {
  it('makes a text fit, and keeps its beginning and its end', () => {
    expect(clipMiddle('abcdefghij', 10)).toBe('abcdefghij');
    expect(clipMiddle('abcdefghij', 7)).toBe('abc…hij');
    expect(clipMiddle('日本語日本語', 7)).toBe('日本…語');
    fc.assert(
      fc.property(text, fc.integer({ min: 3, max: 20 }), (value, max) => {
        expect(columnsOf(clipMiddle(value, max))).toBeLessThanOrEqual(max);
      }),
    );
  });

  it('never splits parts of one visible character', () => {
    expect(clipMiddle('a👩\u200d🚀bcde\u0301', 4)).toBe('a…e\u0301');
    expect(clip('ab👩\u200d🚀c', 4)).toBe('ab…');
    expect(clip('🇩🇪🇫🇷🇯🇵', 5)).toBe('🇩🇪🇫🇷…');
  });
});

describe('wrap', () => {
  it('keeps the entire text, and makes no line too long', () => {
    expect(wrap('a bb ccc', 4)).toEqual(['a bb', 'ccc']);
    expect(wrap('', 4)).toEqual(['']);
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 20 }), (value, max) => {
        const lines = wrap(value, max);
        // A character is never split, and a few combined characters are wider than two columns.
        const isOneCharacter = (line: string): boolean => [...new Intl.Segmenter().segment(line)].length === 1;
        expect(lines.filter((line) => columnsOf(line) > max && !isOneCharacter(line))).toEqual([]);
        expect(lines.join('').replaceAll(' ', '')).toBe(value.replaceAll(' ', ''));
      }),
    );
  });
});
