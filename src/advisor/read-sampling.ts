// Decides which reads of one client the advisor keeps. Each client has one ReadSampling for point reads, and another
// ReadSampling for queries that have one page. The advisor keeps every read up to a fixed number of reads per second.
// Of the reads beyond this number, the advisor keeps only a sample. Each read of the sample also counts for the reads
// that were skipped before it, so the loads are right. Skipped reads are cheap to observe.

/** The number of reads per second up to which every read is kept. */
const readsKeptMax = 256;
/**
 * The number of random bits in a gap. A gap is the number of reads that are skipped between two reads of the sample.
 * The length of a gap is random, from 0 to 63 reads, so that a regular pattern of reads cannot distort the sample.
 */
const gapBits = 6;
/** From this many reads in a second on, the reads are assumed to be similar. */
const steadyFrom = 32;

export class ReadSampling {
  #second = -1;
  #reads = 0;
  /** The reads that were skipped since the last kept read. */
  #skipped = 0;
  #gap = 0;
  #random = 1;
  #followsRead = false;
  /** Whether the last read was one of many consecutive reads. */
  isSteady = false;

  /**
   * Notes a request of the client that is not passed to `weigh`. The next read is kept, because it may belong to a
   * sequence.
   */
  interrupt(): void {
    this.#followsRead = false;
    this.isSteady = false;
  }

  /**
   * Decides whether a read is kept. Returns the number of reads that the kept read represents, including itself.
   * Returns 0 for a read that is not kept. `startMs` is machine time.
   */
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
