import type { RunningEmulator } from '../emulator.ts';
import type { Recipe } from '../faults/recipes.ts';
import { type Cancel, systemMachineTime as time } from '../model/time.ts';

/** A failure while it is staged. */
export interface Stage {
  end(): Promise<void>;
}

const pollMs = 20;

/** Adds the rules of a recipe to an emulator. With `lastsMs`, a rule is removed this long after its first hit. */
export async function stageRecipe({ rules, lastsMs }: Recipe, faults: RunningEmulator['faults']): Promise<Stage> {
  // The command may add rules too, so only the rules with these ids are removed.
  const ids = await faults.add(rules);
  const ends = new Map<string, Cancel>();
  let cancelPoll: Cancel | undefined;
  const endAfter = (id: string, ms: number): void => {
    const end = time.after(ms, () => void faults.remove(id));
    ends.set(id, end);
  };
  const poll = (ms: number): void => {
    for (const { id, hits } of faults.list()) if (hits > 0 && ids.includes(id) && !ends.has(id)) endAfter(id, ms);
    cancelPoll = time.after(pollMs, () => poll(ms));
  };
  if (lastsMs !== undefined) poll(lastsMs);
  return {
    async end() {
      cancelPoll?.();
      for (const cancel of ends.values()) cancel();
      for (const id of ids) await faults.remove(id);
    },
  };
}
