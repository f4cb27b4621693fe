// Decides the order in which work continues, and creates ids. Apart from time, only this order and these ids can differ
// between two runs. The composition root passes in a schedule, so that test/simulation can choose the order and the
// ids. scripts/schedule-uses.mjs lists the files that need not use this module (`npm run boundaries` checks the other
// files).

import { randomUUID } from 'node:crypto';
import type { Cancel } from './time.ts';

export interface Schedule {
  /** Runs `run` once, in a later turn of the event loop. */
  nextTurn(run: () => void): Cancel;
  /** Returns a random id, for example a UUID. It has to be unique, but need not be secret. */
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

/** Resolves in a later turn of the event loop, so that other work can run first. */
export function giveWay({ nextTurn }: Pick<Schedule, 'nextTurn'>): Promise<void> {
  return new Promise((resolve) => {
    nextTurn(resolve);
  });
}
