import { ownText } from '../model/own-text.ts';
import type { LoadWindow } from './load-window.ts';

/** What is counted of one of the heaviest. */
export interface HeavyHitter {
  readonly name: string;
  /** Never too few; too many by `error` at most, which is 0 for one that was heavy all along. */
  units: number;
  readonly error: number;
  /** What was surely counted of it, over time; kept by whoever wants it. */
  load: LoadWindow | undefined;
  /** Requests that were refused, or would have been. */
  refused: LoadWindow | undefined;
  /** Whether it is still among the heaviest: its counter may be added to. */
  isListed: boolean;
}

interface Counter extends HeavyHitter {
  /** Units it had when its place in the heap was last put right; never more than it has. */
  placedUnits: number;
}

/**
 * The heaviest of any number of names, in the memory of `countersMax`: the Space-Saving algorithm (Metwally, Agrawal, El
 * Abbadi: Efficient computation of frequent and top-k elements in data streams, 2005). Every name with more than one
 * `countersMax`-th of all units is among them.
 */
export class HeavyHitters {
  readonly #countersMax: number;
  readonly #counters = new Map<string, Counter>();
  /**
   * A binary heap by `placedUnits`. A counter that grows stays where it is: only whoever looks for the lightest puts those
   * right that come to the top and have grown since.
   */
  readonly #heap: Counter[] = [];

  constructor(countersMax: number) {
    this.#countersMax = countersMax;
  }

  add(name: string, units: number): HeavyHitter {
    const known = this.#counters.get(name);
    if (known) {
      known.units += units;
      return known;
    }
    const own = ownText(name);
    return this.#heap.length < this.#countersMax ? this.#append(own, units) : this.#replaceLightest(own, units);
  }

  get(name: string): HeavyHitter | undefined {
    return this.#counters.get(name);
  }

  values(): readonly HeavyHitter[] {
    return this.#heap;
  }

  /** Forgets names, and with them what is counted of them. */
  forget(isForgotten: (name: string) => boolean): void {
    const kept: Counter[] = [];
    for (const counter of this.#heap) {
      if (!isForgotten(counter.name)) kept.push(counter);
      else {
        this.#counters.delete(counter.name);
        counter.isListed = false;
      }
    }
    // Whatever is in order is a heap.
    kept.sort((a, b) => a.placedUnits - b.placedUnits);
    this.#heap.splice(0, this.#heap.length, ...kept);
  }

  #append(name: string, units: number): HeavyHitter {
    const counter = newCounter(name, units, 0);
    this.#counters.set(name, counter);
    this.#heap.push(counter);
    this.#rise(this.#heap.length - 1);
    return counter;
  }

  #replaceLightest(name: string, units: number): HeavyHitter {
    const lightest = this.#lightest();
    this.#counters.delete(lightest.name);
    lightest.isListed = false;
    const total = lightest.units + units;
    const error = lightest.units;
    const counter = newCounter(name, total, error);
    this.#counters.set(name, counter);
    this.#heap[0] = counter;
    this.#sinkTop();
    return counter;
  }

  #lightest(): Counter {
    for (;;) {
      const top = this.#heap[0] as Counter;
      if (top.placedUnits === top.units) return top;
      top.placedUnits = top.units;
      this.#sinkTop();
    }
  }

  #rise(from: number): void {
    for (let at = from; at > 0; ) {
      const above = (at - 1) >> 1;
      if (this.#placedAt(above) <= this.#placedAt(at)) return;
      this.#swap(above, at);
      at = above;
    }
  }

  #sinkTop(): void {
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const lighter = this.#placedAt(right) < this.#placedAt(left) ? right : left;
      if (this.#placedAt(lighter) >= this.#placedAt(at)) return;
      this.#swap(at, lighter);
      at = lighter;
    }
  }

  #placedAt(at: number): number {
    return this.#heap[at]?.placedUnits ?? Number.POSITIVE_INFINITY;
  }

  #swap(a: number, b: number): void {
    const counter = this.#heap[a] as Counter;
    this.#heap[a] = this.#heap[b] as Counter;
    this.#heap[b] = counter;
  }
}

const newCounter = (name: string, units: number, error: number): Counter => {
  return { name, units, error, load: undefined, refused: undefined, isListed: true, placedUnits: units };
};
