export interface FleetOptions {
  readonly seed: number;
  readonly writers?: number;
  /** Number of keys of each writer. */
  readonly keys?: number;
}

export interface FleetRun {
  /** Resolves when every writer has ended, because it was stopped or because the server is gone. */
  readonly ended: Promise<unknown>;
  stop(): Promise<unknown>;
}

/** Outcomes of transactions. */
export interface TransactionCounts {
  /** Answered, and applied. */
  readonly applied: number;
  /** Answered with a refusal. */
  readonly refused: number;
  /** Not answered, and completely present after the restart. */
  readonly there: number;
  /** Not answered, and completely absent after the restart. */
  readonly absent: number;
}

export class Fleet {
  constructor(options: FleetOptions);
  /** Requests answered so far, single writes and transactions, refusals among them. */
  readonly acknowledged: number;
  readonly transactions: TransactionCounts;
  /** Broken promises, each as a sentence. */
  readonly violations: readonly string[];
  start(url: string): Promise<FleetRun>;
  /** Reads everything back; unexpected and missing data is added to the violations. */
  verify(url: string): Promise<void>;
}
