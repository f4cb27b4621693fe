import type { Limit, Throttled } from './throttled.ts';

/** Requests by what became of them. */
export interface RefusalCounts {
  /** Answered 503 ServerBusy. */
  busy: number;
  /** Answered 500 OperationTimedOut. */
  timedOut: number;
  /** Would have met one of these, had the limit been enforced. */
  spared: number;
}

export type RefusalsByLimit = Readonly<Record<Limit, RefusalCounts>>;

export const newRefusals = (): RefusalsByLimit => ({
  account: { busy: 0, timedOut: 0, spared: 0 },
  range: { busy: 0, timedOut: 0, spared: 0 },
  partition: { busy: 0, timedOut: 0, spared: 0 },
  moving: { busy: 0, timedOut: 0, spared: 0 },
});

/** How a request was kept from running; `spared` where it only would have been. */
export type RefusalKind = Throttled['kind'] | 'spared';
