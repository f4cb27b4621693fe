import type { EntityKey } from './entity.ts';

/** A stretch of a table in key order. Absent bounds are open. */
export interface KeyRange {
  /** First key of the range, itself included. */
  readonly from?: EntityKey;
}
