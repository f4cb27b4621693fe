// The fault rules in use, with their counts of matching and affected requests. The list decides which rule affects a
// request. Other modules carry out the fault.

import { draw, drawDelayMs, nameOf } from './draw.ts';
import { delayMsMax, type Fault, type FaultRule, type FaultRuleReport } from './fault-rule.ts';
import { UnusableRule } from './fields.ts';
import { canMeet, compileMatch, type FaultSubject, type MatchedValues } from './match-rule.ts';
import { isSameRule, type NumberedRule, type RuleSet, withoutRule, withoutRules, withRules } from './rule-set.ts';

/** The rule that affects a request. */
export interface Strike {
  readonly id: string;
  /** The rule's name, or its id. */
  readonly label: string;
  readonly fault: Fault;
  /** 0-based index of the affected operation in a batch; undefined if the request itself is affected. */
  readonly index: number | undefined;
  /** The duration of a delay. */
  readonly delayMs: number;
  /** Call this if the fault did not take effect, so that it does not count as a hit. */
  readonly undo: () => void;
}

/** The rules for the requests of a process. */
export interface FaultRules {
  readonly seed: number;
  list(): readonly FaultRuleReport[];
  /**
   * Adds rules after the existing ones and returns the ids of the added rules. If the list would then have more than
   * 100 rules, throws UnusableRule and adds none of them.
   */
  add(rules: readonly FaultRule[]): readonly string[];
  /** Removes a rule. Returns whether there was a rule with this id. */
  remove(id: string): boolean;
  /** Resolves when everything that the rules need is available. */
  ready(): Promise<void>;
  /** Removes all rules and their counts. Returns how many rules there were. */
  clear(): number;
  /** Counts a request, and returns the rule that affects it. */
  choose(subject: FaultSubject): Strike | undefined;
}

interface KeptRule extends NumberedRule {
  /** Identifies the rule in random decisions. */
  readonly name: string;
  readonly fits: (values: MatchedValues) => boolean;
  /** How often each key occurred in requests, by the hash of the key. */
  readonly met: Map<number, number>;
  matched: number;
  hits: number;
}

const defaultKeysMax = 250_000;

export interface RuleListOptions {
  readonly seed: number;
  /** Whether reads of the secondary can see an earlier state of the data. */
  readonly canBeStale?: boolean;
  /** Called after each change of the list. */
  readonly onChange?: () => void;
  /** Resolves when everything that the rules need is available. */
  readonly whenReady?: () => Promise<void>;
  /**
   * Maximum number of keys that all rules together remember. When a rule meets a new key and this number is exceeded,
   * the rule forgets the key that it has not met for the longest time.
   */
  readonly keysMax?: number;
}

export class RuleList implements FaultRules {
  readonly #onChange: () => void;
  readonly #keysMax: number;
  readonly #canBeStale: boolean;
  readonly #whenReady: () => Promise<void>;
  #set: RuleSet;
  #rules: readonly KeptRule[] = [];
  #met = 0;

  constructor({ seed, canBeStale = true, onChange, whenReady, keysMax = defaultKeysMax }: RuleListOptions) {
    this.#set = { seed, lastId: 0, rules: [] };
    this.#canBeStale = canBeStale;
    this.#onChange = onChange ?? (() => undefined);
    this.#whenReady = whenReady ?? (async () => undefined);
    this.#keysMax = keysMax;
  }

  get seed(): number {
    return this.#set.seed;
  }

  get set(): RuleSet {
    return this.#set;
  }

  list(): readonly FaultRuleReport[] {
    return this.#rules.map(({ id, rule, hits, matched }) => ({ id, ...rule, hits, matched }));
  }

  /** Throws UnusableRule for a fault that this emulator cannot stage. */
  check(rules: readonly FaultRule[]): void {
    if (!this.#canBeStale && rules.some(({ fault }) => fault.kind === 'stale')) {
      throw new UnusableRule(
        'fault.kind',
        'The fault "stale" cannot be used with PostgreSQL, or in the header of a request.',
      );
    }
  }

  /** Replaces the rules. A rule that stays keeps its counts. */
  adopt(set: RuleSet): void {
    const known = new Map(this.#rules.map((kept) => [kept.id, kept]));
    this.#set = set;
    this.#rules = set.rules.map((one) => {
      const kept = known.get(one.id);
      return kept && isSameRule(kept.rule, one.rule) ? kept : keep(one);
    });
    this.#met = this.#rules.reduce((sum, { met }) => sum + met.size, 0);
    this.#onChange();
  }

  add(rules: readonly FaultRule[]): readonly string[] {
    this.check(rules);
    const { length } = this.#rules;
    this.adopt(withRules(this.#set, rules));
    return this.#rules.slice(length).map(({ id }) => id);
  }

  ready(): Promise<void> {
    return this.#whenReady();
  }

  remove(id: string): boolean {
    const isKnown = this.#rules.some((one) => one.id === id);
    if (isKnown) this.adopt(withoutRule(this.#set, id));
    return isKnown;
  }

  clear(): number {
    const { length } = this.#rules;
    this.adopt(withoutRules(this.#set));
    return length;
  }

  choose(subject: FaultSubject): Strike | undefined {
    let strike: Strike | undefined;
    for (const kept of this.#rules) {
      const { fits, rule } = kept;
      if (fits(subject) && meets(rule, subject)) {
        strike = this.#count(kept, { subject, index: undefined, before: strike });
        continue;
      }
      for (const [index, member] of subject.members.entries()) {
        if (fits(member) && meets(rule, member)) {
          strike = this.#count(kept, { subject: member, index, before: strike });
        }
      }
    }
    return strike;
  }

  /** Counts a request for a rule that matches. Returns the rule that affects the request so far. */
  #count(
    kept: KeptRule,
    { subject, index, before }: Pick<Strike, 'index'> & { subject: FaultSubject; before: Strike | undefined },
  ): Strike | undefined {
    kept.matched++;
    const { rule } = kept;
    const drawn = isDrawn(rule) ? this.#drawFor(kept, subject) : undefined;
    if (before !== undefined || !holds(kept, drawn)) return before;
    kept.hits++;
    return {
      id: kept.id,
      label: rule.name ?? kept.id,
      fault: rule.fault,
      index,
      delayMs: delayOf(rule.fault, drawn),
      undo: () => void kept.hits--,
    };
  }

  /** Returns a generator of numbers from 0 to 1 for the request. */
  #drawFor(kept: KeptRule, subject: FaultSubject): Draw {
    const { operation, table, partitionKey, rowKey } = subject;
    const key = [operation, table?.toLowerCase() ?? '', keyText(partitionKey), keyText(rowKey)].join('\0');
    const times = this.#meet(kept, nameOf(key));
    return (what) => draw(this.seed, kept.name, key, times, what);
  }

  #meet({ met }: KeptRule, key: number): number {
    const times = (met.get(key) ?? 0) + 1;
    // The key moves to the end of the map.
    if (!met.delete(key)) this.#met++;
    met.set(key, times);
    if (this.#met > this.#keysMax) {
      const [oldest] = met.keys();
      if (oldest !== undefined && met.delete(oldest)) this.#met--;
    }
    return times;
  }
}

function keep({ id, rule }: NumberedRule): KeptRule {
  const name = rule.name ?? JSON.stringify(rule);
  return { id, rule, name, fits: compileMatch(rule.match), met: new Map(), matched: 0, hits: 0 };
}

type Draw = (what: 'strike' | 'first' | 'second') => number;

/** Distinguishes an empty key from an absent one. */
const keyText = (key: string | undefined): string => (key === undefined ? '' : `=${key}`);

const isDrawn = ({ when, fault }: FaultRule): boolean =>
  (when !== undefined && 'probability' in when) || (fault.kind === 'delay' && 'p50Ms' in fault);

function holds({ rule: { when, times }, matched, hits }: KeptRule, drawn: Draw | undefined): boolean {
  if (times !== undefined && hits >= times) return false;
  if (when === undefined) return true;
  if ('nth' in when) return matched === when.nth;
  if ('first' in when) return matched <= when.first;
  if ('every' in when) return matched % when.every === 0;
  return (drawn?.('strike') ?? 1) < when.probability;
}

function delayOf(fault: Fault, drawn: Draw | undefined): number {
  if (fault.kind === 'timeout') return fault.ms ?? 0;
  if (fault.kind !== 'delay') return 0;
  if ('ms' in fault) return fault.ms;
  return Math.min(delayMsMax, drawDelayMs(fault, [drawn?.('first') ?? 0, drawn?.('second') ?? 0]));
}

/**
 * Whether a request can get the fault of a rule. A rule that applies to every page never empties two pages of a query
 * in a row. Otherwise, a client that reads all pages would never reach the end.
 */
function meets(rule: FaultRule, subject: FaultSubject): boolean {
  const { fault } = rule;
  if (!canMeet(fault, subject)) return false;
  return !(subject.followsEmptyPage && fault.kind === 'shortPage' && fault.entities === 0 && isEndless(rule));
}

function isEndless({ when, times }: FaultRule): boolean {
  if (times !== undefined) return false;
  if (when === undefined) return true;
  return ('every' in when && when.every === 1) || ('probability' in when && when.probability === 1);
}
