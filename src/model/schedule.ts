// The order in which work continues, and ids: what a run depends on in addition to time. The composition root passes it in, so that
// test/simulation chooses both. scripts/schedule-uses.mjs lists the files that may do without (`npm run boundaries`).

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
