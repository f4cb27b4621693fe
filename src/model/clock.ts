import { type ModelTime, systemModelTime } from './time.ts';

/** The part of model time that says what time it is. */
export type Clock = Pick<ModelTime, 'nowMs'>;

export const systemClock: Clock = systemModelTime;
