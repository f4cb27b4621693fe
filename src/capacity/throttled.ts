/** What ran out: the target of the account, of a range partition or of a partition; or the range was on its way. */
export type Limit = 'account' | 'range' | 'partition' | 'moving';

/** A request that is not carried out: at once, or because the wait for capacity was longer than it had. */
export interface Throttled {
  readonly kind: 'busy' | 'timedOut';
  readonly limit: Limit;
}
