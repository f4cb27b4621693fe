import type { Recipe } from '../faults/recipes.ts';
import type { FaultRules } from '../faults/rule-list.ts';
import { type Cancel, systemMachineTime as time } from '../model/time.ts';

/** A failure in force. */
export interface Stage {
  /** Ends it, and says how many requests it struck. */
  end(): number;
}

const pollMs = 20;

/** Adds the rules of a recipe to those of an emulator, each of them for as long as the recipe lasts. */
export function stageRecipe({ name, rules, lastsMs }: Recipe, faults: FaultRules): Stage {
  faults.add(rules);
  const ends = new Map<string, Cancel>();
  let struck = 0;
  let cancelPoll: Cancel | undefined;
  const remove = (id: string): void => {
    const rule = faults.list().find((one) => one.id === id);
    if (rule?.name === name) struck += rule.hits;
    faults.remove(id);
  };
  const poll = (): void => {
    for (const { id, hits } of faults.list()) {
      if (hits > 0 && !ends.has(id))
        ends.set(
          id,
          time.after(lastsMs ?? 0, () => remove(id)),
        );
    }
    cancelPoll = time.after(pollMs, poll);
  };
  if (lastsMs !== undefined) poll();
  return {
    end() {
      cancelPoll?.();
      for (const cancel of ends.values()) cancel();
      for (const { id } of faults.list()) remove(id);
      return struck;
    },
  };
}
