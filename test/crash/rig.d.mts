import type { TransactionCounts } from './fleet.mjs';

export interface KillReport {
  readonly kill: number;
  /** When the server was killed, as text. */
  readonly moment: string;
  readonly violations: readonly string[];
  readonly acknowledged: number;
}

export interface KillsOptions {
  readonly kills: number;
  /** Determines the writes and the moments of the kills. How they coincide depends on the machine. */
  readonly seed: number;
  /** Flags of the server in addition to the usual ones. */
  readonly flags?: readonly string[];
  readonly report?: (report: KillReport) => void;
}

export interface KillsResult {
  readonly passed: number;
  readonly failed: number;
  /** The number of requests that were answered, and compared with the data after the kills. */
  readonly acknowledged: number;
  /** The transactions among them, and the transactions that a kill interrupted. */
  readonly transactions: TransactionCounts;
  readonly failures: readonly string[];
  /** Folders with the data of failures, which are kept. */
  readonly kept: readonly string[];
}

export function runKills(options: KillsOptions): Promise<KillsResult>;
