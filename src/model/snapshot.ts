/** What a snapshot is made of. Default: the first account, and all of its tables. */
export interface SnapshotTarget {
  readonly account?: string;
  readonly table?: string;
}

/** A saved state, without the name of its account. */
export interface SnapshotRecord {
  readonly name: string;
  /** When it was saved: a timestamp. */
  readonly savedAt: string;
  /** Number of tables in the snapshot. */
  readonly tables: number;
  /** Present if the snapshot contains only this table, without the service's settings. */
  readonly table?: string;
}

/** A saved state, with the name of its account. */
export interface Snapshot extends SnapshotRecord {
  readonly account: string;
}
