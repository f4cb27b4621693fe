/** Random numbers. The same seed gives the same numbers (mulberry32). */
export class Random {
  #state;

  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** A number that is at least 0 and less than 1. */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let bits = this.#state;
    bits = Math.imul(bits ^ (bits >>> 15), bits | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from `min` to `max`, inclusive. */
  integer(min, max) {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  pick(list) {
    return list[this.integer(0, list.length - 1)];
  }
}
