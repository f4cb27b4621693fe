/** The target that ran out: of the account, of a range partition, of a partition; `moving`: the range splits or merges. */
export type CapacityLimit = 'account' | 'range' | 'partition' | 'moving';

/** What the capacity model did with a request. */
export interface CapacityUse {
  /**
   * `admitted`: it may run. `wouldThrottle`: it may run, but would have been refused if targets were enforced. `busy`:
   * refused with 503 ServerBusy. `timedOut`: refused with 500 OperationTimedOut, after waiting as long as it may take.
   */
  readonly outcome: 'admitted' | 'wouldThrottle' | 'busy' | 'timedOut';
  /** What ran out; undefined when the request was admitted. */
  readonly limit: CapacityLimit | undefined;
  /** How long the request waited for capacity. */
  readonly waitedMs: number;
  /** Entity units (1 KiB) charged to the request so far. */
  readonly units: number;
}
