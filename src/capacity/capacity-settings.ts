export interface ThrottleOptions {
  /**
   * What happens to requests beyond the service's scalability targets. `off`: they are not counted. `observe`: they are
   * counted and reported. `enforce`: the emulator refuses them as Azure does, with 503 ServerBusy and 500
   * OperationTimedOut. Default `observe`.
   */
  readonly throttle?: 'off' | 'observe' | 'enforce';
  /** Targets and times of the capacity model (docs/capacity.md). */
  readonly capacity?: CapacityModelOptions;
  /**
   * Seconds in the header `Retry-After` of a 503 ServerBusy. Azure does not send this header. Default 0: the header is
   * not sent.
   */
  readonly retryAfterSeconds?: number;
}

/** Targets and times of the capacity model. A unit is an entity of 1 KiB. */
export interface CapacityModelOptions {
  /** Factor for every target, so that a laptop can reach them; above 0, at most 1,000. Default 1. */
  readonly scale?: number;
  /**
   * How many requests of one account may wait for capacity. Further requests are refused. 0: no request may wait.
   * Default 32.
   */
  readonly queueLength?: number;
  /** Milliseconds: a request that would have to wait longer for capacity is refused immediately. Default 5,000. */
  readonly waitMsMax?: number;
  /** Units per second that an account can serve, before `scale`. Default 20,000. */
  readonly accountTarget?: number;
  /** Units per second that a range partition of a table can serve, before `scale`. Default 8,000. */
  readonly rangeTarget?: number;
  /** Units per second that a partition can serve, before `scale`. Default 2,000. */
  readonly partitionTarget?: number;
  /** Milliseconds for which a range must be hot before it splits. Default 15,000. */
  readonly splitAfterMs?: number;
  /** Milliseconds for which two neighbouring ranges must be idle before they merge. Default 60,000. */
  readonly mergeAfterMs?: number;
  /** Milliseconds for which a range refuses requests while it splits or merges. Default 1,000. */
  readonly moveMs?: number;
}

export type ThrottleMode = NonNullable<ThrottleOptions['throttle']>;

/** Every setting of the model, with the defaults filled in. */
export interface CapacitySettings extends Required<CapacityModelOptions> {
  readonly throttle: ThrottleMode;
}

/** Units a second at each level. */
export interface Targets {
  readonly account: number;
  readonly range: number;
  readonly partition: number;
}

/** The targets of the settings, scaled. */
export function targetsOf({ scale, accountTarget, rangeTarget, partitionTarget }: CapacitySettings): Targets {
  // Rounded to millionths, because the product of a target and a scale such as 0.1 may have rounding errors.
  const scaled = (target: number): number => Math.max(1, Math.round(target * scale * 1_000_000)) / 1_000_000;
  return { account: scaled(accountTarget), range: scaled(rangeTarget), partition: scaled(partitionTarget) };
}
