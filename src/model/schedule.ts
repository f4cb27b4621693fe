// The order in which work continues, and ids. A run depends on both in addition to time. The composition root passes them
// in, so that test/simulation can choose them. scripts/schedule-uses.mjs lists the files that need not use this module (`npm
// run boundaries`).

import { randomUUID } from 'node:crypto';
import type { Cancel } from './time.ts';

export interface Schedule {
  /** Runs `run` once, in a later turn of the event loop. */
  nextTurn(run: () => void): Cancel;
  /** A random id, such as 8-4-4-4-12 hexadecimal digits, that has to be unique and need not be secret. */
  newId(): string;
}

/** The event loop of this process. */
export const systemSchedule: Schedule = {
  nextTurn(run) {
    const turn = setImmediate(run);
    return () => clearImmediate(turn);
  },
  newId: randomUUID,
};

/** Lets other work have its turn. */
export function giveWay({ nextTurn }: Pick<Schedule, 'nextTurn'>): Promise<void> {
  return new Promise((resolve) => {
    nextTurn(resolve);
  });
}
