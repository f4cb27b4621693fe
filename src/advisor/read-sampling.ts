// Which reads of one kind (point reads, or queries of one page) of one client the advisor keeps one by one: all of them, until a
// second has more than the bound. Of the others it keeps some, each of which stands for those before it, so that the loads stay
// right and reading fast stays cheap.

/** Reads in a second that are all kept. */
const readsKeptMax = 256;
/** The gaps between those kept beyond: 0 to 63 reads, at random, so that no pattern of the client's hides between them. */
const gapBits = 6;
/** Reads in a second from which on one is like the other. */
const steadyFrom = 32;

export class ReadSampling {
  #second = -1;
  #reads = 0;
  /** Reads since the last one that was kept. */
  #skipped = 0;
  #gap = 0;
  #random = 1;
  #followsRead = false;
  /** Whether the last read was one of many in a row. */
  isSteady = false;

  /** The client sent another request: the read that follows it is kept, for what it tells of the sequence. */
  interrupt(): void {
    this.#followsRead = false;
    this.isSteady = false;
  }

  /** How many reads a read stands for, itself among them; 0 if it is not kept. `startMs` is machine time. */
  weigh(startMs: number): number {
    const second = Math.floor(startMs / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#reads = 0;
      this.#skipped = 0;
    }
    const isKept = !this.#followsRead || this.#reads < readsKeptMax || this.#skipped >= this.#gap;
    this.isSteady = this.#followsRead && this.#reads >= steadyFrom;
    this.#reads++;
    this.#followsRead = true;
    if (!isKept) {
      this.#skipped++;
      return 0;
    }
    // A linear congruential generator; its high bits are the random ones.
    this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) | 0;
    this.#gap = this.#random >>> (32 - gapBits);
    const requests = this.#skipped + 1;
    this.#skipped = 0;
    return requests;
  }
}
