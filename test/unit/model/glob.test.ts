import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileGlob } from '../../../src/model/glob.ts';

describe('A pattern', () => {
  it.each([
    ['', '', true],
    ['', 'a', false],
    ['*', '', true],
    ['*', 'anything', true],
    ['orders*', 'orders', true],
    ['orders*', 'orders2026', true],
    ['orders*', 'order', false],
    ['*Sas', 'tableSas', true],
    ['*Sas', 'key', false],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['*ab*ab*', 'abab', true],
    ['*ab*ab*', 'aab', false],
    ['*aab*', 'aaab', true],
    ['a**b', 'ab', true],
    ['a.c', 'abc', false],
    ['[a-z]*', 'abc', false],
    ['*', 'line\nbreak', true],
  ])('%j matches %j: %j', (pattern, text, fits) => {
    expect(compileGlob(pattern)(text)).toBe(fits);
  });

  it('matches the same texts as the equivalent regular expression', () => {
    const words = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 12 });
    const texts = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 16 });
    fc.assert(
      fc.property(words, texts, (pattern, text) => {
        const shape = new RegExp(`^${pattern.replaceAll(/\*+/g, '.*')}$`);
        expect(compileGlob(pattern)(text)).toBe(shape.test(text));
      }),
    );
  });

  it('reads each character of a text only a limited number of times, for any text and pattern', () => {
    const reads = countedText('a'.repeat(60_000));
    for (const pattern of ['*a*a*a*a*a*a*a*a*b', `*${'a'.repeat(500)}b*`, `*${'a'.repeat(500)}b*c`]) {
      expect(compileGlob(pattern)(reads.text)).toBe(false);
    }
    expect(reads.count()).toBeLessThan(3 * 4 * 60_000);
  });
});

/** A text that counts how often its characters are read one by one. */
function countedText(text: string): { text: string; count: () => number } {
  let count = 0;
  const counted = new Proxy(Object(text) as object, {
    get(_target, name) {
      if (name === 'length') return text.length;
      if (typeof name === 'string' && /^\d+$/.test(name)) {
        count++;
        return text[Number(name)];
      }
      const member = text[name as keyof string];
      return typeof member === 'function' ? (member as (...words: unknown[]) => unknown).bind(text) : member;
    },
  });
  return { text: counted as unknown as string, count: () => count };
}
