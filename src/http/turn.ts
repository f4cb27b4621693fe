// Collects the requests that arrive in one turn of the event loop. Once all of them are parsed, they are carried out
// together. Each step then runs for several requests in a row while its code is in the processor's caches, and the
// responses wake the clients together. Under load, this grouping halves the processor time of a point read (ADR 0007).
// A request that arrives alone does not wait for other requests.

/** Further requests are carried out in the next turn, so that a thousand connections do not hold up the sockets. */
const requestsMax = 16;
/**
 * If the responses of a turn have more bytes than this in total, the next turn carries out only one request. Large
 * responses that exist at the same time fill memory and survive several garbage collections. These collections take
 * longer than the reads themselves.
 */
const responseBytesMax = 256 * 1024;

export class Turn<Arrival> {
  readonly #begin: (arrival: Arrival) => void;
  #arrived: Arrival[] = [];
  #responseBytes = 0;

  constructor(begin: (arrival: Arrival) => void) {
    this.#begin = begin;
  }

  /** Begins the request at the end of this turn, in the order of arrival. */
  add(arrival: Arrival): void {
    if (this.#arrived.push(arrival) === 1) setImmediate(() => this.#beginAll());
  }

  /**
   * Begins the collected requests immediately, without waiting for the end of the turn. These requests then begin
   * before anything that the caller does next.
   */
  flush(): void {
    for (const arrival of this.#arrived.splice(0)) this.#begin(arrival);
  }

  /** Counts a response that was sent. */
  count(responseBytes: number): void {
    this.#responseBytes += responseBytes;
  }

  #beginAll(): void {
    const arrived = this.#arrived;
    this.#arrived = arrived.splice(this.#responseBytes > responseBytesMax ? 1 : requestsMax);
    this.#responseBytes = 0;
    if (this.#arrived.length > 0) setImmediate(() => this.#beginAll());
    for (const arrival of arrived) this.#begin(arrival);
  }
}
