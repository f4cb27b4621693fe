/**
 * The kind of target that was exceeded: the target of an account, a range or a partition. `moving` means that the range
 * is being split or merged.
 */
export type CapacityLimit = 'account' | 'range' | 'partition' | 'moving';

/** What the capacity model did with a request. */
export interface CapacityUse {
  /**
   * `admitted`: the request may run. `wouldThrottle`: the request may run, but would be refused if targets were
   * enforced. `busy`: the request is refused with 503 ServerBusy. `timedOut`: the request waited until its time limit,
   * and is refused with 500 OperationTimedOut.
   */
  readonly outcome: 'admitted' | 'wouldThrottle' | 'busy' | 'timedOut';
  /** The target that was exceeded; undefined if the request was admitted. */
  readonly limit: CapacityLimit | undefined;
  /** How long the request waited for capacity. */
  readonly waitedMs: number;
  /** Entity units (1 KiB) charged to the request so far. */
  readonly units: number;
}
