/**
 * What to empty: an account, a table of the first account, or a table of the named account. If only `clock` or `faults`
 * is given, nothing is emptied.
 */
export interface ResetTarget {
  readonly account?: string;
  readonly table?: string;
  /** Sets the clock to the machine's time. */
  readonly clock?: boolean;
  /** Removes all fault rules. */
  readonly faults?: boolean;
}
