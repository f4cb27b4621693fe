import type { TransactionCounts } from './fleet.mjs';

export interface KillReport {
  readonly kill: number;
  /** When the server was killed, in words. */
  readonly moment: string;
  readonly violations: readonly string[];
  readonly acknowledged: number;
}

export interface KillsOptions {
  readonly kills: number;
  /** Decides the writes and the moments of the kills; how they coincide depends on the machine. */
  readonly seed: number;
  /** Further flags of the server. */
  readonly flags?: readonly string[];
  readonly report?: (report: KillReport) => void;
}

export interface KillsResult {
  readonly passed: number;
  readonly failed: number;
  /** Requests whose outcome was compared with the data after the kills. */
  readonly acknowledged: number;
  /** Transactions among them, and those that a kill interrupted. */
  readonly transactions: TransactionCounts;
  readonly failures: readonly string[];
  /** Folders with the data of failures. */
  readonly kept: readonly string[];
}

export function runKills(options: KillsOptions): Promise<KillsResult>;
