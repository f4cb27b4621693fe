import type { QueryReport } from '../query/report.ts';

/** A request that was answered. */
export interface AnsweredRequest {
  readonly operation: string;
  readonly status: number;
  readonly durationMs: number;
  readonly report?: QueryReport | undefined;
}

/** Upper bounds of the durations that are told apart, in seconds. */
export const durationBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Of one operation. */
export interface Durations {
  /** Requests up to each bound and not up to the one before; the last ones are beyond all. */
  readonly requests: number[];
  seconds: number;
}

/** Of queries with one kind of plan. */
export interface QueryTally {
  queries: number;
  visited: number;
  returned: number;
}

/** Counts what was answered, at the cost of a few additions a request; metrics are made of it when they are asked for. */
export class Traffic {
  /** By operation, of which there are not many, then by status. */
  readonly requests = new Map<string, Map<number, number>>();
  readonly durations = new Map<string, Durations>();
  readonly queries = new Map<string, QueryTally>();

  note({ operation, status, durationMs, report }: AnsweredRequest): void {
    const byStatus = entryOf(this.requests, operation, () => new Map<number, number>());
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
    const durations = entryOf(this.durations, operation, newDurations);
    const seconds = durationMs / 1000;
    const at = bucketOf(seconds);
    durations.requests[at] = (durations.requests[at] ?? 0) + 1;
    durations.seconds += seconds;
    if (report) this.#noteQuery(report);
  }

  #noteQuery({ plan, visited, returned }: QueryReport): void {
    const tally = entryOf(this.queries, plan.kind, () => ({ queries: 0, visited: 0, returned: 0 }));
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
