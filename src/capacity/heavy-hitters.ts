/** What is counted of one of the heaviest. */
export interface HeavyHitter {
  readonly name: string;
  /** Never too few; too many by `error` at most, which is 0 for one that was heavy all along. */
  units: number;
  readonly error: number;
  refused: number;
}

interface Counter extends HeavyHitter {
  /** Its place in the heap. */
  at: number;
}

/**
 * The heaviest of any number of names, in the memory of `countersMax`: the Space-Saving algorithm (Metwally, Agrawal, El
 * Abbadi: Efficient computation of frequent and top-k elements in data streams, 2005). Every name with more than one
 * `countersMax`-th of all units is among them.
 */
export class HeavyHitters {
  readonly #countersMax: number;
  readonly #counters = new Map<string, Counter>();
  /** A binary heap, the lightest on top. */
  readonly #heap: Counter[] = [];

  constructor(countersMax: number) {
    this.#countersMax = countersMax;
  }

  add(name: string, units: number): HeavyHitter {
    const known = this.#counters.get(name);
    if (known) {
      known.units += units;
      this.#sink(known);
      return known;
    }
    return this.#heap.length < this.#countersMax ? this.#append(name, units) : this.#replaceLightest(name, units);
  }

  get(name: string): HeavyHitter | undefined {
    return this.#counters.get(name);
  }

  values(): readonly HeavyHitter[] {
    return this.#heap;
  }

  #append(name: string, units: number): HeavyHitter {
    const counter: Counter = { name, units, error: 0, refused: 0, at: this.#heap.length };
    this.#counters.set(name, counter);
    this.#heap.push(counter);
    this.#rise(counter);
    return counter;
  }

  #replaceLightest(name: string, units: number): HeavyHitter {
    const lightest = this.#heap[0] as Counter;
    this.#counters.delete(lightest.name);
    const counter: Counter = { name, units: lightest.units + units, error: lightest.units, refused: 0, at: 0 };
    this.#counters.set(name, counter);
    this.#heap[0] = counter;
    this.#sink(counter);
    return counter;
  }

  #rise(counter: Counter): void {
    while (counter.at > 0) {
      const parent = this.#heap[(counter.at - 1) >> 1] as Counter;
      if (parent.units <= counter.units) return;
      this.#swap(parent, counter);
    }
  }

  #sink(counter: Counter): void {
    for (;;) {
      const left = this.#heap[2 * counter.at + 1];
      const right = this.#heap[2 * counter.at + 2];
      const lighter = left && right && right.units < left.units ? right : left;
      if (!lighter || lighter.units >= counter.units) return;
      this.#swap(counter, lighter);
    }
  }

  #swap(above: Counter, below: Counter): void {
    [above.at, below.at] = [below.at, above.at];
    this.#heap[above.at] = above;
    this.#heap[below.at] = below;
  }
}
