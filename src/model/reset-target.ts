/**
 * What a reset empties. With `account`, the reset empties this account. With `account` and `table`, the reset empties
 * only this table of the account. With `table` alone, the reset empties this table of the first account. If only
 * `clock` or `faults` is given, the reset empties nothing. If no member is given, the reset empties all accounts.
 */
export interface ResetTarget {
  readonly account?: string;
  readonly table?: string;
  /** Sets the clock to the machine's time. */
  readonly clock?: boolean;
  /** Removes all fault rules. */
  readonly faults?: boolean;
}
