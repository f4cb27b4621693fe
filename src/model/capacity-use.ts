/**
 * Whose target was exceeded: the account's, a range's or a partition's. `moving`: the range is splitting or merging.
 */
export type CapacityLimit = 'account' | 'range' | 'partition' | 'moving';

/** What the capacity model did with a request. */
export interface CapacityUse {
  /**
   * `admitted`: the request may run. `wouldThrottle`: it may run, but enforced targets would refuse it. `busy`: it is
   * refused with 503 ServerBusy. `timedOut`: it waited until its time limit, and is refused with 500
   * OperationTimedOut.
   */
  readonly outcome: 'admitted' | 'wouldThrottle' | 'busy' | 'timedOut';
  /** The target that was exceeded; undefined if the request was admitted. */
  readonly limit: CapacityLimit | undefined;
  /** How long the request waited for capacity. */
  readonly waitedMs: number;
  /** Entity units (1 KiB) charged to the request so far. */
  readonly units: number;
}
