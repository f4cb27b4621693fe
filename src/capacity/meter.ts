import type { RequestRecord } from '../model/request-record.ts';
import type { Throttled } from './throttled.ts';

/** What a request is about to do. */
export interface Demand {
  /** As sent; undefined for what concerns no table's entities, which counts for the account only. */
  readonly table?: string | undefined;
  /** The one partition, or where several are read the first. */
  readonly partitionKey: string;
  /** Whether it stays in that partition. */
  readonly isPinned: boolean;
  readonly isWrite: boolean;
  /** Entity units at least; what it comes to beyond is charged afterwards. */
  readonly units: number;
  /** How long it may wait for capacity. */
  readonly waitMsMax: number;
  /** Whether nobody waits for its answer any more: then it is not carried out. */
  readonly isAbandoned?: (() => boolean) | undefined;
  /** Set by the meter: it runs only because nothing is enforced. */
  isSpared?: boolean;
  /** Of the request that it is for: its operation and its client. */
  record?: RequestRecord;
}

/** Entities next to each other that were read. */
export interface Usage {
  readonly units: number;
  /** The same in key order, in parts of whole partitions. */
  readonly parts: readonly UsagePart[];
}

export interface UsagePart {
  /** Of the first partition. */
  readonly partitionKey: string;
  readonly units: number;
  /** Of the first partition alone, where it is worth counting by itself; otherwise 0. */
  readonly partitionUnits: number;
}

/** Charges what a page has visited, as it goes, and says whether it may go on. */
export type ChargeVisit = (usage: Usage) => boolean;

/** The capacity of one account, as operations see it. */
export interface Meter {
  /** Says whether a request may run; undefined: it may. Resolves later where it has to wait. */
  admit(demand: Demand): Throttled | undefined | Promise<Throttled | undefined>;
  /** Charges what an admitted request came to beyond what it asked for. */
  charge(demand: Demand, units: number): void;
  /** For one page of an admitted query; undefined where nobody counts. */
  visits(demand: Demand): ChargeVisit | undefined;
  /** Where the range partition of a key ends; undefined at the end of the table. */
  rangeEnd(table: string, partitionKey: string): string | undefined;
  /** The table is gone, or empty: nothing in it owes anything any more. Takes a while where many partitions are in use. */
  forgetTable(table: string): void;
  /** The table never was there: it gets no place among those that are counted. */
  forgetAbsentTable(table: string): void;
}

/** Everything may run and nothing is counted. */
export const unmetered: Meter = {
  admit: () => undefined,
  charge: () => undefined,
  visits: () => undefined,
  rangeEnd: () => undefined,
  forgetTable: () => undefined,
  forgetAbsentTable: () => undefined,
};
