import type { FaultRule, FaultRuleReport } from '../../faults/fault-rule.ts';
import { parseRule } from '../../faults/parse-rule.ts';
import type { RuleList } from '../../faults/rule-list.ts';
import { isSameRule, parseRuleSet, type RuleSet, withoutRule, withoutRules, withRules } from '../../faults/rule-set.ts';
import type { MachineTime } from '../../model/time.ts';
import type { SharedTexts } from '../../storage/shared-texts.ts';
import { SharedValue } from '../shared-value.ts';

export interface ServiceFaultsOptions {
  /** The rules that strike the requests of this process. */
  readonly list: RuleList;
  readonly machineTime: Pick<MachineTime, 'after'>;
  /** Present if several nodes share the rules. */
  readonly texts?: SharedTexts | undefined;
}

/**
 * The fault rules of the service. Each node counts only the requests that this node gets. If there are other nodes and
 * the shared database cannot be used, methods that change rules reject with StoreUnavailable.
 */
export class ServiceFaults {
  readonly #list: RuleList;
  readonly #ownSeed: number;
  readonly #shared: SharedValue<RuleSet> | undefined;

  constructor({ list, machineTime, texts }: ServiceFaultsOptions) {
    this.#list = list;
    this.#ownSeed = list.seed;
    const noRules: RuleSet = { seed: list.seed, lastId: 0, rules: [] };
    const onValue = (set = noRules): void => list.adopt(set);
    this.#shared = texts && new SharedValue({ texts, name: 'faults', machineTime, parse: parseRuleSet, onValue });
  }

  /** Applies the stored rules of the service. Returns a notice if there are any. Rejects with StoreUnavailable. */
  async open(): Promise<string | undefined> {
    await this.#shared?.open();
    const { length } = this.list();
    if (length === 0) return undefined;
    return `This service has fault rules in force, ${length} of them: tanzanite faults clear removes them.`;
  }

  /** The seed of random decisions. With several nodes, it is the seed of the node that added the first rule. */
  get seed(): number {
    return this.#list.seed;
  }

  /** The rules, with the counts of this node. */
  list(): readonly FaultRuleReport[] {
    return this.#list.list();
  }

  /**
   * Adds rules after the current rules, and returns the ids of the added rules. If there would be more than 100 rules,
   * adds none and rejects with UnusableRule.
   */
  async add(rules: readonly FaultRule[]): Promise<readonly string[]> {
    this.#list.check(rules);
    let ids: readonly string[] = [];
    await this.#change((set) => {
      const changed = withRules(this.#seeded(set), rules);
      ids = changed.rules.slice(set.rules.length).map(({ id }) => id);
      return changed;
    });
    await this.#list.ready();
    return ids;
  }

  /** Like `add`, but leaves out rules that already exist, because another node may have added them. */
  async addMissing(rules: readonly FaultRule[]): Promise<void> {
    this.#list.check(rules);
    // Parsing gives the rules the form in which the store returns them.
    const given = rules.map((rule) => parseRule(rule));
    await this.#change((set) => {
      const missing = given.filter((rule) => !set.rules.some((known) => isSameRule(known.rule, rule)));
      return withRules(this.#seeded(set), missing);
    });
    await this.#list.ready();
  }

  /** Removes a rule. Returns whether there was a rule with this id. */
  async remove(id: string): Promise<boolean> {
    let isKnown = false;
    await this.#change((set) => {
      isKnown = set.rules.some((one) => one.id === id);
      return withoutRule(set, id);
    });
    return isKnown;
  }

  /** Removes all rules and all counts. Returns how many rules there were. */
  async clear(): Promise<number> {
    let length = 0;
    await this.#change((set) => {
      length = set.rules.length;
      return withoutRules(set);
    });
    return length;
  }

  close(): void {
    this.#shared?.close();
  }

  #seeded(set: RuleSet): RuleSet {
    return set.rules.length === 0 ? { ...set, seed: this.#ownSeed } : set;
  }

  async #change(change: (set: RuleSet) => RuleSet): Promise<void> {
    const empty: RuleSet = { seed: this.#ownSeed, lastId: 0, rules: [] };
    if (this.#shared) await this.#shared.change((set = empty) => change(set));
    else this.#list.adopt(change(this.#list.set));
  }
}
