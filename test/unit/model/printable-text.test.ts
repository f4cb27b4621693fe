import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutMiddle, escapeControls } from '../../../src/model/printable-text.ts';

describe('Text for a terminal', () => {
  it.each([
    ['a C0 control', '\u001b[31m', '\\u001b[31m'],
    ['a line feed', 'a\nb', 'a\\u000ab'],
    ['DEL', 'a\u007fb', 'a\\u007fb'],
    ['a C1 control', '\u009b31m', '\\u009b31m'],
    ['a bidirectional override', 'a\u202eb', 'a\\u202eb'],
    ['a bidirectional isolate', 'a\u2066b', 'a\\u2066b'],
    ['a mark without width', 'a\u200bb\ufeff', 'a\\u200bb\\ufeff'],
    ['a tag beyond the basic plane', 'a\u{e0041}b', 'a\\u{e0041}b'],
    ['a line separator', 'a\u2028b', 'a\\u2028b'],
    ['a lone surrogate', 'a\ud800b', 'a\\ud800b'],
  ])('shows %s as its number', (_, text, shown) => {
    expect(escapeControls(text)).toBe(shown);
  });

  it('keeps ordinary text', () => {
    const text = 'é 日本語 עברית 😀 \\u009b "quoted"';
    expect(escapeControls(text)).toBe(text);
  });

  it('never contains a control character, a format character or half of a surrogate pair', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(40), (text, charsMax) => {
        expect(escapeControls(cutMiddle(text, charsMax))).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
      }),
    );
  });
});

describe('A truncated text', () => {
  it('keeps its beginning and its end, and says how much is omitted', () => {
    expect(cutMiddle('abcdefghij', 4)).toBe('ab… 6 characters left out …ij');
  });

  it('is unchanged if it is not longer than the limit', () => {
    expect(cutMiddle('abcd', 4)).toBe('abcd');
  });
});
