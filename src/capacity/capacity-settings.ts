/** `off`: nothing is counted. `observe`: counted and reported, never refused. `enforce`: refused as the service would. */
export type ThrottleMode = 'off' | 'observe' | 'enforce';

/** What the model goes by. Targets are in entity units (1 KiB) a second, before `scale`. */
export interface CapacitySettings {
  readonly throttle: ThrottleMode;
  /** Multiplies every target, so that a laptop can reach them; more than 0. */
  readonly scale: number;
  readonly accountTarget: number;
  readonly rangeTarget: number;
  readonly partitionTarget: number;
  /** Requests of one account that may wait for capacity; one more is refused. 0: none waits. */
  readonly queueLength: number;
  /** A range that is hot for so long splits. */
  readonly splitAfterMs: number;
  /** Two ranges that are idle for so long merge. */
  readonly mergeAfterMs: number;
  /** How long a range that splits or merges is not served. */
  readonly moveMs: number;
}

/** Units a second that each level carries. */
export interface Targets {
  readonly account: number;
  readonly range: number;
  readonly partition: number;
}

export function targetsOf({ scale, accountTarget, rangeTarget, partitionTarget }: CapacitySettings): Targets {
  // To millionths, so that what scales to a whole number is one.
  const scaled = (target: number): number => Math.max(1, Math.round(target * scale * 1_000_000)) / 1_000_000;
  return { account: scaled(accountTarget), range: scaled(rangeTarget), partition: scaled(partitionTarget) };
}
