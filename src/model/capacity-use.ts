/** The target that ran out: of the account, of a range partition, of a partition; `moving`: the range splits or merges. */
export type CapacityLimit = 'account' | 'range' | 'partition' | 'moving';

/** What the capacity model did with a request. */
export interface CapacityUse {
  /**
   * `admitted`: the request may run. `wouldThrottle`: it may run, but enforced targets would refuse it. `busy`: it is
   * refused with 503 ServerBusy. `timedOut`: it has waited for all of its time limit, and is refused with 500
   * OperationTimedOut.
   */
  readonly outcome: 'admitted' | 'wouldThrottle' | 'busy' | 'timedOut';
  /** What ran out; undefined when the request was admitted. */
  readonly limit: CapacityLimit | undefined;
  /** How long the request waited for capacity. */
  readonly waitedMs: number;
  /** Entity units (1 KiB) charged to the request so far. */
  readonly units: number;
}
