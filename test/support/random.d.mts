export class Random {
  constructor(seed: number);
  /** A number from 0 (inclusive) to 1 (exclusive). */
  next(): number;
  /** A whole number from `min` to `max`. */
  integer(min: number, max: number): number;
  pick<Item>(list: readonly Item[]): Item;
}
