/**
 * How many requests are being answered, and whether there is room for one more: what keeps an emulator that is asked for
 * more than its machine can do from collapsing. By number alone, never by how late the event loop is: a machine that
 * wakes from sleep refuses nobody.
 */
export class InFlight {
  readonly #requestsMax: number;
  #requests = 0;

  constructor(requestsMax: number) {
    this.#requestsMax = requestsMax;
  }

  get requests(): number {
    return this.#requests;
  }

  /** Counts a request, and says whether there is room for it. */
  enter(): boolean {
    return ++this.#requests <= this.#requestsMax;
  }

  leave(): void {
    this.#requests--;
  }
}
