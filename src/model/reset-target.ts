/**
 * What a reset empties: an account, a table of the named account, or, without `account`, a table of the first account.
 * If only `clock` or `faults` is given, the reset empties nothing. If no member is given, the reset empties all
 * accounts.
 */
export interface ResetTarget {
  readonly account?: string;
  readonly table?: string;
  /** Sets the clock to the machine's time. */
  readonly clock?: boolean;
  /** Removes all fault rules. */
  readonly faults?: boolean;
}
