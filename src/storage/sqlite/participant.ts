/**
 * A part of an account that keeps state in memory. While a transaction runs, a part notes its changes. They take effect in
 * `committed` and are forgotten in `rolledBack`. A part that notes nothing may omit `committed`. Every part has
 * `rolledBack`, so that it says what a rollback means for it. The account calls its parts in one order
 * (sqlite-account-store.ts).
 */
export interface Participant {
  /** Whether closing the account would interrupt or forget nothing; absent: always. */
  readonly isIdle?: boolean;
  /** Runs inside each transaction, last. If it throws, the transaction is rolled back. */
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
