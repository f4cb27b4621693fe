import type { RunningEmulator } from '../emulator.ts';
import type { FaultRule, FaultRuleReport } from '../faults/fault-rule.ts';
import { parseRule } from '../faults/parse-rule.ts';

/** What is staged to go wrong: the rules of GET /_emulator/faults. */
export interface FaultAccess {
  /** What chance is drawn with. */
  readonly seed: number;
  /**
   * Puts a rule into force, behind those that are there. Rejects with an Error whose message names the field that does not fit. With
   * `await using` the rule is removed at the end of the block.
   */
  add(rule: FaultRule): Promise<AddedFault>;
  /** The rules in force, with what they did. */
  list(): Promise<readonly FaultRuleReport[]>;
  /** Whether there was a rule with this id. */
  remove(id: string): Promise<boolean>;
  /** Removes all rules and forgets what was counted. */
  clear(): Promise<void>;
}

/** A rule in force. */
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
