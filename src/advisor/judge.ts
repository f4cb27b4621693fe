// Applies the rules to windows, and makes the checklist of a report. The emulator loads this module when the first
// window is full or the first report is requested, so the texts of the rules do not slow down the start.

import { type AdvisorRules, thresholdsOf } from './advisor-rules.ts';
import { checklist } from './checklist.ts';
import type { Findings } from './findings.ts';
import type { ChecklistRow, ChecklistStatus, Finding } from './report.ts';
import type { Rule } from './rule.ts';
import { rules } from './rules.ts';
import type { RuleId } from './thresholds.ts';
import type { Window } from './window.ts';

/** The rules that are not turned off. */
export function rulesOf({ rules: switches = {} }: AdvisorRules): readonly Rule[] {
  return rules.filter(({ id }) => switches[id] !== false);
}

/**
 * Judges a window by one rule, and adds the rule's findings to `findings`. If the window has requests that could have
 * broken the rule, adds the rule to `occasions`.
 */
export function judge(rule: Rule, window: Window, { findings, occasions, settings }: Verdict): void {
  if (!occasions.has(rule.id) && rule.occasion(window)) occasions.add(rule.id);
  findings.add(rule, rule.judge(window, thresholdsOf(rule.id, settings)));
}

export interface Verdict {
  readonly findings: Findings;
  /** The rules that the requests so far could have broken. */
  readonly occasions: Set<RuleId>;
  readonly settings: AdvisorRules;
}

export function checklistOf(findings: readonly Finding[], { occasions, settings }: Verdict): ChecklistRow[] {
  const broken = new Set(findings.map(({ rule }) => rule));
  const on = new Set(rulesOf(settings).map(({ id }) => id));
  return checklist.map(({ id, question, rules: all, source }) => {
    const own = all.filter((rule) => on.has(rule));
    const statusOf = (): ChecklistStatus => {
      if (all.length === 0) return 'notObservable';
      if (own.some((rule) => broken.has(rule))) return 'broken';
      return own.some((rule) => occasions.has(rule)) ? 'kept' : 'notObserved';
    };
    return { id, question, status: statusOf(), rules: all, source };
  });
}
