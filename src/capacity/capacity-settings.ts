/** `off`: nothing is counted. `observe`: counted and reported, never refused. `enforce`: refused as the service would. */
export type ThrottleMode = 'off' | 'observe' | 'enforce';

/** Targets are in entity units (1 KiB) a second, before `scale`. */
export interface CapacitySettings {
  readonly throttle: ThrottleMode;
  /** Multiplies every target, so that a laptop can reach it; more than 0. */
  readonly scale: number;
  readonly accountTarget: number;
  readonly rangeTarget: number;
  readonly partitionTarget: number;
  /** Requests of one account that may wait for capacity; one more is refused. 0: none waits, so that even one client meets 503s. */
  readonly queueLength: number;
  /** A request that would have to wait longer for capacity is refused at once. */
  readonly waitMsMax: number;
  /** How long a range has to be hot before it splits. */
  readonly splitAfterMs: number;
  /** How long two ranges have to be idle before they merge. */
  readonly mergeAfterMs: number;
  /** How long a range that splits or merges is not served. */
  readonly moveMs: number;
}

/** Units a second at each level. */
export interface Targets {
  readonly account: number;
  readonly range: number;
  readonly partition: number;
}

export function targetsOf({ scale, accountTarget, rangeTarget, partitionTarget }: CapacitySettings): Targets {
  // Rounded to millionths, so that a product that should be a whole number is one.
  const scaled = (target: number): number => Math.max(1, Math.round(target * scale * 1_000_000)) / 1_000_000;
  return { account: scaled(accountTarget), range: scaled(rangeTarget), partition: scaled(partitionTarget) };
}
