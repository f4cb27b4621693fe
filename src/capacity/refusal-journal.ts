import { ownText } from '../model/own-text.ts';
import type { RefusalKind } from './refusals.ts';
import type { Limit } from './throttled.ts';
import type { Timers } from './timers.ts';

/** What was over its limit: the account, a range of a table by its first partition key, or a partition. */
export interface RefusalEvent {
  readonly account: string;
  readonly limit: Limit;
  readonly kind: RefusalKind;
  readonly table?: string | undefined;
  readonly rangeFrom?: string | undefined;
  readonly partitionKey?: string | undefined;
}

/** Where refusals fell within a second, and how many. */
export interface RefusalPlace extends Omit<RefusalEvent, 'kind'> {
  readonly requests: number;
}

/** What was refused within a second. */
export interface RefusalSecond {
  /** Seconds ago; 0 for the second that is not over yet. */
  readonly secondsAgo: number;
  /** Answered 503 or 500. */
  readonly refused: number;
  /** Would have been. */
  readonly spared: number;
  /** Pages of queries that ended, or would have ended, because a budget was spent. */
  readonly pagesCut: number;
  /** Where most of them fell, the worst first. */
  readonly places: readonly RefusalPlace[];
}

interface Second {
  readonly sinceUs: number;
  refused: number;
  spared: number;
  pagesCut: number;
  /** By range or partition key: nothing is put together to find a place. */
  readonly places: Map<string, CountedPlace[]>;
  placesCount: number;
}

interface CountedPlace {
  readonly event: RefusalEvent;
  requests: number;
}

const secondUs = 1_000_000;
const secondsMax = 60;
/** Places told apart within a second; further ones count in its totals only. */
const placesMax = 64;
const placesTold = 5;

/** The last sixty seconds in which something was refused, or would have been. */
export class RefusalJournal {
  readonly #timers: Timers;
  readonly #onSecond: (second: RefusalSecond) => void;
  readonly #over: Second[] = [];
  #current: Second | undefined;
  #callOff: (() => void) | undefined;
  #isClosed = false;

  /** `onSecond` is told of a second once it is over. */
  constructor(timers: Timers, onSecond: (second: RefusalSecond) => void) {
    this.#timers = timers;
    this.#onSecond = onSecond;
  }

  note(event: RefusalEvent): void {
    if (this.#isClosed) return;
    this.#current ??= this.#begin();
    if (event.kind === 'spared') this.#current.spared++;
    else this.#current.refused++;
    countPlace(this.#current, event);
  }

  noteCutPage(): void {
    if (this.#isClosed) return;
    this.#current ??= this.#begin();
    this.#current.pagesCut++;
  }

  /** The newest first. */
  seconds(): RefusalSecond[] {
    const nowUs = this.#timers.nowUs();
    const all = this.#current ? [...this.#over, this.#current] : this.#over;
    return all.map((second) => describe(second, nowUs)).reverse();
  }

  /** Forgets everything, and notes nothing any more: no timer is left behind. */
  close(): void {
    this.#isClosed = true;
    this.#callOff?.();
    this.#current = undefined;
    this.#over.length = 0;
  }

  #begin(): Second {
    this.#callOff = this.#timers.after(secondUs / 1000, () => this.#end());
    return { sinceUs: this.#timers.nowUs(), refused: 0, spared: 0, pagesCut: 0, places: new Map(), placesCount: 0 };
  }

  #end(): void {
    const second = this.#current;
    if (!second) return;
    this.#current = undefined;
    this.#over.push(second);
    if (this.#over.length > secondsMax) this.#over.shift();
    this.#onSecond(describe(second, this.#timers.nowUs()));
  }
}

function countPlace(second: Second, event: RefusalEvent): void {
  const name = keyOf(event);
  const there = second.places.get(name);
  const place = there?.find(({ event: known }) => isOnePlace(known, event));
  if (place) place.requests++;
  else if (second.placesCount < placesMax) {
    second.placesCount++;
    const kept = ownEvent(event);
    if (there) there.push({ event: kept, requests: 1 });
    else second.places.set(keyOf(kept), [{ event: kept, requests: 1 }]);
  }
}

const keyOf = ({ partitionKey, rangeFrom = '' }: RefusalEvent): string => partitionKey ?? rangeFrom;

/** Without the request that it came from: it is kept for a minute. */
function ownEvent({ table, rangeFrom, partitionKey, ...event }: RefusalEvent): RefusalEvent {
  return {
    ...event,
    ...(table === undefined ? {} : { table: ownText(table) }),
    ...(rangeFrom === undefined ? {} : { rangeFrom: ownText(rangeFrom) }),
    ...(partitionKey === undefined ? {} : { partitionKey: ownText(partitionKey) }),
  };
}

function isOnePlace(a: RefusalEvent, b: RefusalEvent): boolean {
  const isOneKey = a.partitionKey === b.partitionKey && a.rangeFrom === b.rangeFrom;
  return isOneKey && a.table === b.table && a.account === b.account && a.limit === b.limit;
}

function describe({ sinceUs, refused, spared, pagesCut, places }: Second, nowUs: number): RefusalSecond {
  const worst = [...places.values()]
    .flat()
    .sort((a, b) => b.requests - a.requests)
    .slice(0, placesTold);
  return {
    secondsAgo: Math.floor((nowUs - sinceUs) / secondUs),
    refused,
    spared,
    pagesCut,
    places: worst.map(({ event: { kind: _kind, ...place }, requests }) => ({ ...place, requests })),
  };
}
