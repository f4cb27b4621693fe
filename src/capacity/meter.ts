// The part of the capacity model that operations use. An operation asks to be admitted, and then charges the units that
// it has used.

import type { CapacityLimit, CapacityUse } from '../model/capacity-use.ts';

/** What a request is about to do. */
export interface Demand {
  /**
   * The table's name as sent. Undefined for a request that does not concern entities; such a request counts only for
   * the account.
   */
  readonly table?: string | undefined;
  /**
   * The key of the partition that the request uses, or of the first partition if it uses several. Empty if a query
   * begins at the start of the table.
   */
  readonly partitionKey: string;
  /** Whether the request stays in that partition. */
  readonly isPinned: boolean;
  /** The entity units that the request uses at least. Further units are charged later. */
  readonly units: number;
  /** How long the request may take. */
  readonly waitMsMax: number;
  /** Whether the client has disconnected. If so, the request stops waiting and is not carried out. */
  readonly isAbandoned?: (() => boolean) | undefined;
  /** Identifies the request until it is answered: see Capacity.whenReleasedAnswered. */
  readonly request?: object | undefined;
}

/** A request that may run. */
export interface Admission extends CapacityUse {
  readonly outcome: 'admitted' | 'wouldThrottle';
  /** Charges what the request used beyond the units counted so far. */
  charge(units: number): void;
  /** Returns a function that charges a page of a query while it is read; undefined if nothing is counted. */
  chargePage(): ChargeVisit | undefined;
}

/** A request that must not run. */
export interface Refusal extends CapacityUse {
  readonly outcome: 'busy' | 'timedOut';
  readonly limit: CapacityLimit;
}

export const isRefusal = (result: Admission | Refusal): result is Refusal =>
  result.outcome === 'busy' || result.outcome === 'timedOut';

/** Adjacent entities that a query read. */
export interface Usage {
  readonly units: number;
  /** The same units in key order, by partition. */
  readonly parts: readonly UsagePart[];
}

/** One or more complete partitions. */
export interface UsagePart {
  /** Key of the first partition. */
  readonly partitionKey: string;
  readonly units: number;
  /** Units of the first partition, if there are enough to be counted separately; otherwise 0. */
  readonly partitionUnits: number;
}

/** Charges what a page has read since the last call. Returns whether the page may continue. */
export type ChargeVisit = (usage: Usage) => boolean;

/** The capacity of one account. */
export interface Meter {
  /** Decides whether a request may run. Resolves later if the request has to wait for capacity. */
  admit(demand: Demand): Admission | Refusal | Promise<Admission | Refusal>;
  /**
   * Returns the first partition key after the range that contains `partitionKey`. Returns undefined if that range is
   * the last one of the table.
   */
  rangeEnd(table: string, partitionKey: string): string | undefined;
  /** The table was deleted or emptied: its budgets are full again. Slow while many partitions are in use. */
  forgetTable(table: string): void;
  /** The table does not exist, so it is no longer counted. */
  forgetAbsentTable(table: string): void;
}

const unmeteredAdmission: Admission = {
  outcome: 'admitted',
  limit: undefined,
  waitedMs: 0,
  units: 0,
  charge: () => undefined,
  chargePage: () => undefined,
};

/** Admits everything without counting. */
export const unmetered: Meter = {
  admit: () => unmeteredAdmission,
  rangeEnd: () => undefined,
  forgetTable: () => undefined,
  forgetAbsentTable: () => undefined,
};
