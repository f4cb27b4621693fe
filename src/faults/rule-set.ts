// The rules of a service as plain data, which its nodes share as text.

import { type FaultRule, rulesMax } from './fault-rule.ts';
import { UnusableRule } from './fields.ts';
import { parseRule } from './parse-rule.ts';

export interface RuleSet {
  /** The seed of random decisions. */
  readonly seed: number;
  /** Ids are not reused. */
  readonly lastId: number;
  /** In the order in which they are tried. */
  readonly rules: readonly NumberedRule[];
}

export interface NumberedRule {
  readonly id: string;
  readonly rule: FaultRule;
}

/** The set with further rules at its end. Throws UnusableRule if there would be more than 100. */
export function withRules(set: RuleSet, rules: readonly FaultRule[]): RuleSet {
  if (set.rules.length + rules.length > rulesMax) {
    throw new UnusableRule('', `There can be at most ${rulesMax} rules, and ${set.rules.length} are in force.`);
  }
  const added = rules.map((rule, at) => ({ id: String(set.lastId + at + 1), rule }));
  return { ...set, lastId: set.lastId + rules.length, rules: [...set.rules, ...added] };
}

export function withoutRule(set: RuleSet, id: string): RuleSet {
  return { ...set, rules: set.rules.filter((one) => one.id !== id) };
}

export const withoutRules = (set: RuleSet): RuleSet => ({ ...set, rules: [] });

export const isSameRule = (one: FaultRule, other: FaultRule): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Reads a set that was stored as JSON. Returns undefined or throws UnusableRule if it is invalid. */
export function parseRuleSet(given: unknown): RuleSet | undefined {
  const { seed, lastId, rules } = (given ?? {}) as Partial<Record<string, unknown>>;
  if (typeof seed !== 'number' || typeof lastId !== 'number' || !Array.isArray(rules)) return undefined;
  return { seed, lastId, rules: rules.map(({ id, rule }) => ({ id: String(id), rule: parseRule(rule) })) };
}
