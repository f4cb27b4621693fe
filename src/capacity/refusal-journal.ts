import type { CapacityLimit } from '../model/capacity-use.ts';
import { copyString } from '../model/copy-string.ts';
import type { Cancel, ModelTime } from '../model/time.ts';
import { microsecondsOf } from './token-buckets.ts';

/** How a request was refused. `wouldThrottle`: it was not refused, but enforced targets would have refused it. */
export type RefusalKind = 'busy' | 'timedOut' | 'wouldThrottle';

/** Numbers of requests, by the way in which they were refused. */
export interface RefusalCounts {
  /** Answered 503 ServerBusy. */
  busy: number;
  /** Answered 500 OperationTimedOut. */
  timedOut: number;
  /** Would have been answered with 503 or 500 if the limit had been enforced. */
  wouldThrottle: number;
}

export type RefusalsByLimit = Readonly<Record<CapacityLimit, RefusalCounts>>;

export const newRefusals = (): RefusalsByLimit => ({
  account: { busy: 0, timedOut: 0, wouldThrottle: 0 },
  range: { busy: 0, timedOut: 0, wouldThrottle: 0 },
  partition: { busy: 0, timedOut: 0, wouldThrottle: 0 },
  moving: { busy: 0, timedOut: 0, wouldThrottle: 0 },
});

/**
 * A refused request, and the place whose limit it exceeded: the account, a partition, or a range that begins with
 * `rangeFrom`.
 */
export interface RefusalEvent {
  readonly account: string;
  readonly limit: CapacityLimit;
  readonly kind: RefusalKind;
  readonly table?: string | undefined;
  readonly rangeFrom?: string | undefined;
  readonly partitionKey?: string | undefined;
}

/** What exceeded its limit within a second, and how many requests were refused because of it. */
export interface RefusalPlace extends Omit<RefusalEvent, 'kind'> {
  readonly requests: number;
}

/** The refusals within one second. */
export interface RefusalSecond {
  /** 0 if the second is not over yet. */
  readonly secondsAgo: number;
  /** Answered 503 or 500. */
  readonly refused: number;
  /** Would have been refused if the limits had been enforced. */
  readonly wouldThrottle: number;
  /** Pages of queries that ended, or would have ended, because a budget was spent. */
  readonly pagesCut: number;
  /** The places that exceeded their limits most often, the worst first. */
  readonly places: readonly RefusalPlace[];
}

interface Second {
  readonly sinceUs: number;
  refused: number;
  wouldThrottle: number;
  pagesCut: number;
  /** Places by partition key or by the first key of the range, so that a lookup does not have to build a string. */
  readonly places: Map<string, CountedPlace[]>;
  placesCount: number;
}

interface CountedPlace {
  readonly event: RefusalEvent;
  requests: number;
}

const secondUs = 1_000_000;
const secondsMax = 60;
/**
 * The maximum number of places that are counted separately within a second. Refusals at any other place count only in
 * the totals of that second.
 */
const placesMax = 64;
const placesReported = 5;

/** The last sixty seconds in which a request was refused, or would have been. */
export class RefusalJournal {
  readonly #time: ModelTime;
  readonly #onSecond: (second: RefusalSecond) => void;
  readonly #past: Second[] = [];
  #current: Second | undefined;
  #cancelEnd: Cancel | undefined;
  #isClosed = false;

  /** Calls `onSecond` when a second is over. */
  constructor(time: ModelTime, onSecond: (second: RefusalSecond) => void) {
    this.#time = time;
    this.#onSecond = onSecond;
  }

  record(event: RefusalEvent): void {
    if (this.#isClosed) return;
    this.#current ??= this.#begin();
    if (event.kind === 'wouldThrottle') this.#current.wouldThrottle++;
    else this.#current.refused++;
    countPlace(this.#current, event);
  }

  countCutPage(): void {
    if (this.#isClosed) return;
    this.#current ??= this.#begin();
    this.#current.pagesCut++;
  }

  /** The newest first. */
  seconds(): RefusalSecond[] {
    const nowUs = microsecondsOf(this.#time);
    const all = this.#current ? [...this.#past, this.#current] : this.#past;
    return all.map((second) => report(second, nowUs)).reverse();
  }

  /** Discards all entries, ignores later refusals and cancels the timer. */
  close(): void {
    this.#isClosed = true;
    this.#cancelEnd?.();
    this.#current = undefined;
    this.#past.length = 0;
  }

  #begin(): Second {
    this.#cancelEnd = this.#time.after(secondUs / 1000, () => this.#end());
    return {
      sinceUs: microsecondsOf(this.#time),
      refused: 0,
      wouldThrottle: 0,
      pagesCut: 0,
      places: new Map(),
      placesCount: 0,
    };
  }

  #end(): void {
    const second = this.#current;
    if (!second) return;
    this.#current = undefined;
    this.#past.push(second);
    if (this.#past.length > secondsMax) this.#past.shift();
    this.#onSecond(report(second, microsecondsOf(this.#time)));
  }
}

function countPlace(second: Second, event: RefusalEvent): void {
  const name = keyOf(event);
  const sameKey = second.places.get(name);
  const place = sameKey?.find(({ event: known }) => isOnePlace(known, event));
  if (place) place.requests++;
  else if (second.placesCount < placesMax) {
    second.placesCount++;
    const kept = ownEvent(event);
    if (sameKey) sameKey.push({ event: kept, requests: 1 });
    else second.places.set(keyOf(kept), [{ event: kept, requests: 1 }]);
  }
}

const keyOf = ({ partitionKey, rangeFrom = '' }: RefusalEvent): string => partitionKey ?? rangeFrom;

/**
 * Returns a copy without references to the request's text. The journal keeps the copy for a minute, and the copy must
 * not keep that text in memory.
 */
function ownEvent({ table, rangeFrom, partitionKey, ...event }: RefusalEvent): RefusalEvent {
  return {
    ...event,
    ...(table === undefined ? {} : { table: copyString(table) }),
    ...(rangeFrom === undefined ? {} : { rangeFrom: copyString(rangeFrom) }),
    ...(partitionKey === undefined ? {} : { partitionKey: copyString(partitionKey) }),
  };
}

function isOnePlace(a: RefusalEvent, b: RefusalEvent): boolean {
  const isOneKey = a.partitionKey === b.partitionKey && a.rangeFrom === b.rangeFrom;
  return isOneKey && a.table === b.table && a.account === b.account && a.limit === b.limit;
}

function report({ sinceUs, refused, wouldThrottle, pagesCut, places }: Second, nowUs: number): RefusalSecond {
  const worst = [...places.values()]
    .flat()
    .sort((a, b) => b.requests - a.requests)
    .slice(0, placesReported);
  return {
    secondsAgo: Math.floor((nowUs - sinceUs) / secondUs),
    refused,
    wouldThrottle,
    pagesCut,
    places: worst.map(({ event: { kind: _kind, ...place }, requests }) => ({ ...place, requests })),
  };
}
