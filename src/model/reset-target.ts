/**
 * What to empty: an account, a table of the first account, or a table of the account named. A target that only puts something back
 * empties nothing.
 */
export interface ResetTarget {
  readonly account?: string;
  readonly table?: string;
  /** Puts the clock back to the machine's time. */
  readonly clock?: boolean;
  /** Removes the rules of all faults. */
  readonly faults?: boolean;
}
