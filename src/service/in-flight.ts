export interface InFlightLimits {
  /** Requests that may be in flight at a time. */
  readonly requestsMax: number;
  /** Bytes of responses that may wait for clients to read them, over all connections. */
  readonly waitingBytesMax?: number;
}

/**
 * A response takes memory until its client reads it. If the responses that wait for their clients have more bytes than
 * this limit, new requests are refused.
 */
const defaultWaitingBytesMax = 256 * 1_048_576;

/**
 * The requests in flight. A request is in flight from the arrival of its head until its response is flushed to the
 * operating system. The limits keep an overloaded emulator from collapsing. They apply to the numbers of requests and
 * bytes, not to the delay of the event loop. An emulator on a machine that wakes from sleep therefore refuses no
 * requests.
 */
export class InFlight {
  readonly #requestsMax: number;
  readonly #waitingBytesMax: number;
  #requests = 0;
  #waitingBytes = 0;
  #refused = 0;

  constructor({ requestsMax, waitingBytesMax = defaultWaitingBytesMax }: InFlightLimits) {
    this.#requestsMax = requestsMax;
    this.#waitingBytesMax = waitingBytesMax;
  }

  get requests(): number {
    return this.#requests;
  }

  /** Bytes of responses that are made but not yet flushed. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Requests that were refused since the start because a bound was reached. */
  get refused(): number {
    return this.#refused;
  }

  enter(): void {
    this.#requests++;
  }

  /** Whether the request that entered last is within the limits. If not, counts a refusal. */
  admit(): boolean {
    if (this.#requests <= this.#requestsMax && this.#waitingBytes <= this.#waitingBytesMax) return true;
    this.#refused++;
    return false;
  }

  leave(): void {
    this.#requests--;
  }

  /** Counts a response of this many bytes that waits for its client to read it. */
  hold(bytes: number): void {
    this.#waitingBytes += bytes;
  }

  release(bytes: number): void {
    this.#waitingBytes -= bytes;
  }
}
