import { isStaged, type RequestRecord, type StagedFault } from '../model/request-record.ts';

/** Upper bounds of the buckets of the duration histogram, in seconds. */
export const durationBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The most rules counted separately. Tests may create thousands of rules. */
const faultRulesMax = 200;
const otherRules = 'other';

/** The durations of one operation. */
export interface Durations {
  /**
   * The number of requests in each bucket. A bucket counts durations above the bound of the previous bucket, up to and
   * including its own bound. The last bucket has no upper bound.
   */
  readonly requests: number[];
  seconds: number;
}

/** The queries with one kind of plan. */
export interface QueryTally {
  queries: number;
  visited: number;
  returned: number;
}

/**
 * Counts requests, at the cost of a few additions for each request. The metrics are rendered from these counts when a
 * client reads them.
 */
export class TrafficTotals {
  /** By operation, then by status. */
  readonly requests = new Map<string, Map<number, number>>();
  readonly durations = new Map<string, Durations>();
  readonly queries = new Map<string, QueryTally>();

  /** The requests that faults struck, by rule and then by kind of fault. */
  readonly faults = new Map<string, Map<string, number>>();

  /** Counts a request that was answered. If a fault replaced its outcome, counts only the fault. */
  count(record: RequestRecord): void {
    const { operation, status, durationMs, plan, fault } = record;
    if (fault) this.#countFault(fault);
    if (isStaged(record)) return;
    const byStatus = entryOf(this.requests, operation, () => new Map<number, number>());
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
    const durations = entryOf(this.durations, operation, newDurations);
    const seconds = durationMs / 1000;
    const at = bucketOf(seconds);
    durations.requests[at] = (durations.requests[at] ?? 0) + 1;
    durations.seconds += seconds;
    if (plan) this.#countQuery(plan.kind, record);
  }

  #countFault({ rule, kind }: StagedFault): void {
    const isKnown = this.faults.has(rule) || this.faults.size < faultRulesMax;
    const byKind = entryOf(this.faults, isKnown ? rule : otherRules, () => new Map<string, number>());
    byKind.set(kind, (byKind.get(kind) ?? 0) + 1);
  }

  #countQuery(plan: string, { visited, returned }: RequestRecord): void {
    const tally = entryOf(this.queries, plan, () => ({ queries: 0, visited: 0, returned: 0 }));
    tally.queries++;
    tally.visited += visited;
    tally.returned += returned;
  }
}

const newDurations = (): Durations => ({ requests: durationBounds.map(() => 0).concat(0), seconds: 0 });

function bucketOf(seconds: number): number {
  let at = 0;
  while (at < durationBounds.length && seconds > (durationBounds[at] as number)) at++;
  return at;
}

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
