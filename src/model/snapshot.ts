/** The account, by default the first, and the table, by default all. */
export interface SnapshotTarget {
  readonly account?: string;
  readonly table?: string;
}

/** A saved state, within its account. */
export interface SnapshotRecord {
  readonly name: string;
  /** When it was saved: a timestamp. */
  readonly savedAt: string;
  /** Number of tables it holds. */
  readonly tables: number;
  /** Present: it holds only this table, and not the service's settings. */
  readonly table?: string;
}

/** A saved state of an account. */
export interface Snapshot extends SnapshotRecord {
  readonly account: string;
}
