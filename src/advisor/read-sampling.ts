// Decides which reads of one kind (point reads, or queries of one page) from one client the advisor keeps. It keeps all of
// them up to a bound per second, and a sample of the reads beyond the bound. Each sampled read stands for the reads skipped
// before it, so the loads stay right and observing fast reads stays cheap.

/** Reads in a second that are all kept. */
const readsKeptMax = 256;
/** Between two reads of the sample are 0 to 63 others, at random, so that the sample cannot miss a regular pattern. */
const gapBits = 6;
/** From this many reads in a second on, the reads are assumed to be alike. */
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

  /** The client sent another request: the next read is kept, because it may belong to a sequence. */
  interrupt(): void {
    this.#followsRead = false;
    this.isSteady = false;
  }

  /** The number of reads that a read represents, including itself; 0 if it is not kept. `startMs` is machine time. */
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
    // A linear congruential generator. Only its high bits are random enough.
    this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) | 0;
    this.#gap = this.#random >>> (32 - gapBits);
    const requests = this.#skipped + 1;
    this.#skipped = 0;
    return requests;
  }
}
