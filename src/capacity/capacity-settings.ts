import type { CapacityModelOptions, ThrottleOptions } from '../settings/capacity-settings.ts';

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
  // Rounded to millionths, so that a product that should be a whole number is one.
  const scaled = (target: number): number => Math.max(1, Math.round(target * scale * 1_000_000)) / 1_000_000;
  return { account: scaled(accountTarget), range: scaled(rangeTarget), partition: scaled(partitionTarget) };
}
