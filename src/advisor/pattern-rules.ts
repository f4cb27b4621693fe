import type { KeyPattern } from '../model/key-pattern.ts';
import type { RuleId } from './thresholds.ts';

/** A pattern of keys for which there is a rule. */
export type JudgedPattern = Exclude<KeyPattern, 'spread'>;

/** The rule that finds each pattern. */
export const ruleOfPattern = {
  'append-only': 'append-only-keys',
  'prepend-only': 'prepend-only-keys',
  'single partition': 'lone-partition',
} as const satisfies Readonly<Record<JudgedPattern, RuleId>>;

/** Such as "keys: append-only (append-only-keys)". Undefined if there is no rule for the pattern. */
export function describePattern(pattern: KeyPattern | null): string | undefined {
  if (pattern === null || pattern === 'spread') return undefined;
  return `keys: ${pattern} (${ruleOfPattern[pattern]})`;
}
