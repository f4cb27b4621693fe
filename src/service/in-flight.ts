/**
 * How many requests are being answered, and whether there is room for one more: what keeps an emulator that is asked for
 * more than its machine can do from collapsing. By number alone, never by how late the event loop is: a machine that
 * wakes from sleep refuses nobody.
 */
export class InFlight {
  readonly #requestsMax: number;
  #requests = 0;
  #refused = 0;

  constructor(requestsMax: number) {
    this.#requestsMax = requestsMax;
  }

  get requests(): number {
    return this.#requests;
  }

  /** Requests there was no room for, since the start. */
  get refused(): number {
    return this.#refused;
  }

  /** Counts a request, and says whether there is room for it. */
  enter(): boolean {
    if (++this.#requests <= this.#requestsMax) return true;
    this.#refused++;
    return false;
  }

  leave(): void {
    this.#requests--;
  }
}
