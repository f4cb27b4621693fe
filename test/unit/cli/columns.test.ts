import { describe, expect, it } from 'vitest';
import { clip, columnsOf } from '../../../src/cli/columns.ts';

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
  ])('counts %j as %i', (text, columns) => {
    expect(columnsOf(text)).toBe(columns);
  });
});

describe('clip', () => {
  it('does not change text that fits', () => {
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
