/** At most so many at a time; the others wait in the order in which they came. */
export class Permits {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async take(): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** To the next that waits. */
  give(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}
