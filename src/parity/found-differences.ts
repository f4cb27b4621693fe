// Collects the differences of a repetition by their causes.

import type { Difference } from './difference.ts';

/** Which of the two servers carried the request out. */
export type Passing = 'only there' | 'only recorded' | 'both' | 'neither';

export interface FoundRequest {
  /** Number of the request in the recording, from 1. */
  readonly number: number;
  /** `GET People()`, without keys and values. */
  readonly request: string;
  readonly recorded?: string;
  readonly there?: string;
}

export interface Cause {
  readonly passing: Passing;
  readonly cause: string;
  readonly count: number;
  /** The first requests with this cause. */
  readonly examples: readonly FoundRequest[];
  /** Numbers of the requests, up to 10,000. */
  readonly numbers: readonly number[];
}

export interface NotRepeated {
  readonly reason: string;
  readonly count: number;
  /** Numbers of the first requests. */
  readonly numbers: readonly number[];
}

const examplesMax = 5;
const numbersMax = 10_000;
/** Limit: hostile texts may give each request its own cause. */
const causesMax = 1_000;

interface Mutable<Item> {
  count: number;
  readonly examples: Item[];
}

interface CountedCause extends Mutable<FoundRequest> {
  readonly passing: Passing;
  readonly cause: string;
  readonly numbers: number[];
}

export class FoundDifferences {
  readonly #causes = new Map<string, CountedCause>();
  readonly #following: number[] = [];
  readonly #reasons = new Map<string, Mutable<number>>();
  readonly #counts = { equal: 0, differing: 0, following: 0, inHeadersOnly: 0 };
  readonly #requestsByPassing: Record<Passing, number> = { 'only there': 0, 'only recorded': 0, both: 0, neither: 0 };

  addEqual(): void {
    this.#counts.equal += 1;
  }

  /** Counts a request that differs because an earlier request made the data differ. */
  addFollowing(number: number): void {
    this.#counts.following += 1;
    if (this.#following.length < numbersMax) this.#following.push(number);
  }

  addNotRepeated(number: number, reason: string): void {
    const known = this.#reasons.get(reason) ?? { count: 0, examples: [] };
    this.#reasons.set(reason, known);
    known.count += 1;
    if (known.examples.length < examplesMax) known.examples.push(number);
  }

  add(
    differences: readonly Difference[],
    passing: Passing,
    { number, request }: Pick<FoundRequest, 'number' | 'request'>,
  ): void {
    this.#counts.differing += 1;
    if (differences.every(isOfHeader)) this.#counts.inHeadersOnly += 1;
    this.#requestsByPassing[passing] += 1;
    const seen = new Set<string>();
    for (const { cause, recorded, there } of differences) {
      if (seen.has(cause)) continue;
      seen.add(cause);
      const key = `${passing} ${cause}`;
      if (!this.#causes.has(key) && this.#causes.size >= causesMax) continue;
      const known = this.#causes.get(key) ?? { passing, cause, count: 0, examples: [], numbers: [] };
      this.#causes.set(key, known);
      known.count += 1;
      if (known.numbers.length < numbersMax) known.numbers.push(number);
      const example = {
        number,
        request,
        ...(recorded !== undefined && { recorded }),
        ...(there !== undefined && { there }),
      };
      if (known.examples.length < examplesMax) known.examples.push(example);
    }
  }

  /** The numbers of requests. `differing` includes `inHeadersOnly`. */
  get counts(): Readonly<Record<'equal' | 'differing' | 'following' | 'inHeadersOnly', number>> {
    return { ...this.#counts };
  }

  /** Numbers of the requests that differ because of earlier ones. */
  get following(): readonly number[] {
    return this.#following;
  }

  get requestsByPassing(): Readonly<Record<Passing, number>> {
    return { ...this.#requestsByPassing };
  }

  /** The causes, the most frequent first. Differences of headers come last, because few clients read them. */
  get causes(): readonly Cause[] {
    return [...this.#causes.values()].sort(
      (one, other) => Number(isOfHeader(one)) - Number(isOfHeader(other)) || other.count - one.count,
    );
  }

  get notRepeated(): readonly NotRepeated[] {
    return [...this.#reasons].map(([reason, { count, examples }]) => ({ reason, count, numbers: examples }));
  }
}

const isOfHeader = ({ cause }: Pick<Difference, 'cause'>): boolean => /^(?:in a batch, )?header /.test(cause);
