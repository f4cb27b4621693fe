/** Called for each step of a long calculation. From time to time it lets other work run. */
export type Pause = () => Promise<void> | undefined;

/** Steps between two turns of the event loop: about a millisecond of work. */
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
