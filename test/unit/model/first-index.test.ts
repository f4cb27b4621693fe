import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstIndex } from '../../../src/model/first-index.ts';

describe('firstIndex', () => {
  it('is the first index at which the condition holds, or the count, for every list', () => {
    const sorted = fc.array(fc.integer({ min: 0, max: 9 })).map((numbers) => numbers.sort((a, b) => a - b));
    fc.assert(
      fc.property(sorted, fc.integer({ min: -1, max: 10 }), (numbers, least) => {
        const expected = numbers.findIndex((number) => number >= least);
        const found = firstIndex(numbers.length, (at) => (numbers[at] as number) >= least);
        expect(found).toBe(expected === -1 ? numbers.length : expected);
      }),
    );
  });

  it('looks at only few elements of a long list', () => {
    let looks = 0;
    const isLater = (at: number): boolean => {
      looks += 1;
      return at >= 700_000;
    };
    expect(firstIndex(1_000_000, isLater)).toBe(700_000);
    expect(looks).toBeLessThanOrEqual(20);
  });
});
