export interface FleetOptions {
  readonly seed: number;
  readonly writers?: number;
  /** The number of keys of each writer. */
  readonly keys?: number;
}

export interface FleetRun {
  /** Resolves when every writer has ended, because it was stopped or because the server is gone. */
  readonly ended: Promise<unknown>;
  stop(): Promise<unknown>;
}

/** The numbers of transactions, by outcome. */
export interface TransactionCounts {
  /** They were answered, and applied. */
  readonly applied: number;
  /** They were refused. */
  readonly refused: number;
  /** They were not answered, and are completely present after the restart. */
  readonly there: number;
  /** They were not answered, and are completely absent after the restart. */
  readonly absent: number;
}

export class Fleet {
  constructor(options: FleetOptions);
  /** The number of requests answered so far: single writes and transactions, including refusals. */
  readonly acknowledged: number;
  readonly transactions: TransactionCounts;
  /** Broken promises, each described by a sentence. */
  readonly violations: readonly string[];
  start(url: string): Promise<FleetRun>;
  /** Reads everything back, and adds unexpected and missing data to the violations. */
  verify(url: string): Promise<void>;
}
