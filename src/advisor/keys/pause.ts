/** A function that a long calculation calls at each step, so that other work can run from time to time. */
export type Pause = () => Promise<void> | undefined;

/** The number of steps between two turns of the event loop. They take about a millisecond. */
const stepsMax = 200;

/** `nextTurn` resolves in a later turn of the event loop. */
export function pauseEvery(nextTurn: () => Promise<void>): Pause {
  let steps = 0;
  return () => {
    steps += 1;
    if (steps % stepsMax !== 0) return undefined;
    return nextTurn();
  };
}
