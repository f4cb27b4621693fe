// What a rule is, and what it finds.

import type { Observation } from './observation.ts';
import type { Cost, Evidence, Severity, Source } from './report.ts';
import type { RuleId, Thresholds } from './thresholds.ts';
import type { Window } from './window.ts';

/** A design rule. A rule consists of texts and pure functions. It does not use a clock or a server. */
export interface Rule<Id extends RuleId = RuleId> {
  readonly id: Id;
  readonly severity: Severity;
  /** What is wrong, in a few words. */
  readonly title: string;
  /** Why the problem matters: what it costs or breaks. */
  readonly why: string;
  /** What to do instead. */
  readonly advice: string;
  /** The pattern that solves the problem, by its name in Microsoft's guide. */
  readonly pattern: string | null;
  readonly source: Source;
  /**
   * Whether the rule judges the current state of tables instead of events. Such a rule runs only when a report is
   * requested.
   */
  readonly isOfNow?: boolean;
  /**
   * Whether the window contains requests that the rule is about. If there are no such requests, the absence of findings
   * does not mean that the application keeps the rule.
   */
  readonly occasion: (window: Window) => boolean;
  readonly judge: (window: Window, thresholds: Thresholds[Id]) => readonly Candidate[];
}

/**
 * What a rule found in one window. Candidates of the same rule, account, table and subject are added up over all
 * windows. If the sum of the counts is high enough, these candidates become one finding.
 */
export interface Candidate {
  readonly account: string;
  /** Null if the candidate concerns an account or a client. */
  readonly table: string | null;
  /** What the candidate is about within the table: a filter, a key, a user agent. */
  readonly subject: string;
  readonly count: number;
  /** The count from which the candidate is a finding. */
  readonly least: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  readonly evidence: Evidence;
  readonly cost: Cost;
  /** Replaces the severity of the rule. */
  readonly severity?: Severity;
}

/** Defines a rule with the types of its thresholds. */
export function defineRule<Id extends RuleId>(rule: Rule<Id>): Rule {
  return rule as unknown as Rule;
}

export const noCost: Cost = { visited: 0, bytes: 0, roundTrips: 0, transactions: 0 };

interface Occasion {
  /** The request, or the load of a second, that the occurrence is about. */
  readonly by: Pick<Observation, 'account' | 'atMs'> &
    Partial<Pick<Observation, 'requests'>> & { readonly table?: Observation['table'] | string };
  /** The name of the table; null for none. Default: the table of the request. */
  readonly table?: string | null;
  readonly subject?: string;
  /** How many occurrences there are. Default: one for each request that `by` represents. */
  readonly times?: number;
  readonly cost?: Partial<Cost>;
  /** Called only for the first occurrence of a subject. */
  readonly evidence: () => Evidence;
  readonly severity?: Severity;
}

/** Adds up what a rule finds, by table and subject. */
export class Tally {
  readonly #least: number;
  readonly #found = new Map<string, Candidate>();

  /** `least`: the count from which a subject is a finding. */
  constructor(least = 1) {
    this.#least = least;
  }

  add({ by, subject = '', times, cost = {}, evidence, severity, table = nameOf(by.table) }: Occasion): void {
    const name = `${by.account}\0${table ?? ''}\0${subject}`;
    const known = this.#found.get(name);
    const { atMs } = by;
    const added = { ...noCost, ...cost };
    this.#found.set(name, {
      account: by.account,
      table,
      subject,
      count: (known?.count ?? 0) + (times ?? by.requests ?? 1),
      least: this.#least,
      firstAtMs: Math.min(known?.firstAtMs ?? atMs, atMs),
      lastAtMs: Math.max(known?.lastAtMs ?? atMs, atMs),
      evidence: known?.evidence ?? evidence(),
      cost: addCosts(known?.cost ?? noCost, times === undefined ? timesCost(added, by.requests ?? 1) : added),
      ...(severity === undefined ? {} : { severity }),
    });
  }

  get candidates(): readonly Candidate[] {
    return [...this.#found.values()];
  }
}

const nameOf = (table: Observation['table'] | string): string | null =>
  (typeof table === 'string' ? table : table?.name) ?? null;

function timesCost({ visited, bytes, roundTrips, transactions }: Cost, times: number): Cost {
  return {
    visited: visited * times,
    bytes: bytes * times,
    roundTrips: roundTrips * times,
    transactions: transactions * times,
  };
}

export function addCosts(a: Cost, b: Cost): Cost {
  return {
    visited: a.visited + b.visited,
    bytes: a.bytes + b.bytes,
    roundTrips: a.roundTrips + b.roundTrips,
    transactions: a.transactions + b.transactions,
  };
}
