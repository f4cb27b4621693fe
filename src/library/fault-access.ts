import type { RunningEmulator } from '../emulator.ts';
import type { FaultRule, FaultRuleReport } from '../faults/fault-rule.ts';
import { parseRule } from '../faults/parse-rule.ts';

/** The fault rules in use, as in GET /_emulator/faults. */
export interface FaultAccess {
  /** The seed of random decisions. */
  readonly seed: number;
  /**
   * Adds a rule after the existing ones. If a field is invalid, rejects with an Error whose message names the field.
   * With `await using`, the rule is removed at the end of the block.
   */
  add(rule: FaultRule): Promise<AddedFault>;
  /** The rules in use, with their counts. */
  list(): Promise<readonly FaultRuleReport[]>;
  /** Removes a rule. Resolves with whether there was a rule with this id. */
  remove(id: string): Promise<boolean>;
  /** Removes all rules and their counts. */
  clear(): Promise<void>;
}

/** A rule in use. */
export interface AddedFault extends AsyncDisposable {
  readonly id: string;
  /** Removes the rule. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** `faults` throws if the emulator is closed. @internal */
export function faultAccess(faults: () => RunningEmulator['faults']): FaultAccess {
  return {
    get seed() {
      return faults().seed;
    },
    async add(rule) {
      const rules = faults();
      const [id = ''] = await rules.add([parseRule(rule)]);
      // A rule may be removed, or its emulator closed, before the block ends.
      return { id, [Symbol.asyncDispose]: async () => void (await rules.remove(id)) };
    },
    list: async () => faults().list(),
    remove: async (id) => faults().remove(id),
    clear: async () => void (await faults().clear()),
  };
}
