/** What to empty: an account, a table of the first account, or a table of the account named. */
export interface ResetTarget {
  readonly account?: string;
  readonly table?: string;
}
