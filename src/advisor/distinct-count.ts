import { hashText } from '../model/hash-text.ts';

export interface DistinctCount {
  add(text: string): void;
  estimate(): number;
}

/**
 * The number of bits in the bitmap. The bitmap takes 8 KiB of memory. The error of the count is at most 2 % for up to a
 * hundred thousand texts.
 */
const bits = 65_536;

/** Counts distinct texts by linear counting: the number of empty bits in a bitmap gives the estimate. */
export function createDistinctCount(): DistinctCount {
  const words = new Uint32Array(bits / 32);
  let used = 0;
  return {
    add(text) {
      const bit = hashText(text) % bits;
      const word = words[bit >>> 5] as number;
      const mask = 1 << (bit & 31);
      if ((word & mask) !== 0) return;
      words[bit >>> 5] = word | mask;
      used++;
    },
    estimate: () => (used >= bits ? bits * 12 : Math.round(-bits * Math.log(1 - used / bits))),
  };
}
