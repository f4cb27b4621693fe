// Names from before time.ts. Use `ModelTime` and `systemModelTime` instead.

import { type ModelTime, systemModelTime } from './time.ts';

/** The part of model time that tells the date. */
export type Clock = Pick<ModelTime, 'nowMs'>;

export const systemClock: Clock = systemModelTime;
