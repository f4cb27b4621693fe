/**
 * A part of an account that keeps state in memory. While a transaction runs, a part records what the transaction
 * changes. `committed` applies the recorded changes to the state, and `rolledBack` discards them. A part that records
 * nothing may omit `committed`. `rolledBack` is required, so that every part states what a rollback means for it. The
 * account calls its parts in a fixed order (sqlite-account-store.ts).
 */
export interface Participant {
  /** Whether the account can be closed without interrupting work or losing state of this part. Absent: always. */
  readonly isIdle?: boolean;
  /** Runs at the end of each transaction, before COMMIT. If it throws, the transaction is rolled back. */
  beforeCommit?(): void;
  /** Runs after COMMIT, before the promises of the jobs resolve. Never throws. */
  committed?(): void;
  /** Runs after a rollback, before the promises of the jobs reject. Never throws. */
  rolledBack(): void;
  /** Resolves when the work in progress has ended. Never rejects. */
  settled?(): Promise<void>;
  /** Runs before the database is closed. */
  close?(): void;
}
