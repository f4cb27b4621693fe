// Adds up what the rules found in all windows so far, in bounded memory.

import { bySeverity, type Evidence, type Finding, type Severity } from './report.ts';
import { addCosts, type Candidate, type Rule } from './rule.ts';
import { redact } from './show-request.ts';

/** The most candidates that are kept for one rule. */
const candidatesMax = 500;

interface Known extends Candidate {
  /** The count in the window from which the evidence was taken. */
  readonly evidenceCount: number;
}

export class Findings {
  readonly #byRule = new Map<Rule, Map<string, Known>>();

  add(rule: Rule, candidates: readonly Candidate[]): void {
    if (candidates.length === 0) return;
    let known = this.#byRule.get(rule);
    if (!known) {
      known = new Map();
      this.#byRule.set(rule, known);
    }
    for (const candidate of candidates) {
      const name = `${candidate.account}\0${candidate.table ?? ''}\0${candidate.subject}`;
      const before = known.get(name);
      if (!before && known.size >= candidatesMax) continue;
      known.set(name, before ? merge(before, candidate) : { ...candidate, evidenceCount: candidate.count });
    }
  }

  copy(): Findings {
    const copy = new Findings();
    for (const [rule, known] of this.#byRule) copy.#byRule.set(rule, new Map(known));
    return copy;
  }

  forget(account: string, table?: string): void {
    for (const known of this.#byRule.values()) {
      for (const [name, candidate] of known) {
        const isOfTable = table === undefined || candidate.table?.toLowerCase() === table.toLowerCase();
        if (candidate.account === account && isOfTable) known.delete(name);
      }
    }
  }

  clear(): void {
    this.#byRule.clear();
  }

  /** The findings that reach their thresholds: one for each rule, account and table. */
  raised({ redactsValues }: { readonly redactsValues: boolean }): Finding[] {
    const findings = [...this.#byRule].flatMap(([rule, known]) => {
      const groups = new Map<string, Known[]>();
      for (const candidate of known.values()) {
        if (candidate.count < candidate.least) continue;
        const name = `${candidate.account}\0${candidate.table ?? ''}`;
        groups.set(name, [...(groups.get(name) ?? []), candidate]);
      }
      return [...groups.values()].map((group) => findingOf(rule, group, redactsValues));
    });
    return findings.sort(bySeverity);
  }
}

function merge(before: Known, added: Candidate): Known {
  const isStronger = added.count >= before.evidenceCount;
  return {
    ...before,
    count: before.count + added.count,
    firstAtMs: Math.min(before.firstAtMs, added.firstAtMs),
    lastAtMs: Math.max(before.lastAtMs, added.lastAtMs),
    cost: addCosts(before.cost, added.cost),
    ...(isStronger ? { evidence: added.evidence, evidenceCount: added.count } : {}),
  };
}

function findingOf(rule: Rule, group: readonly Known[], redactsValues: boolean): Finding {
  const severityOf = ({ severity = rule.severity }: Known): Severity => severity;
  const severity = (['error', 'warning', 'note'] as const).find((one) =>
    group.some((known) => severityOf(known) === one),
  );
  const ofSeverity = group.filter((known) => severityOf(known) === severity);
  const main = ofSeverity.reduce((a, b) => (b.count > a.count ? b : a));
  const others = group.length - 1;
  const evidence: Evidence = { ...main.evidence, ...(others > 0 ? { others } : {}) };
  return {
    rule: rule.id,
    severity: severity ?? rule.severity,
    account: main.account,
    table: main.table,
    count: group.reduce((sum, { count }) => sum + count, 0),
    firstAt: isoTime(Math.min(...group.map(({ firstAtMs }) => firstAtMs))),
    lastAt: isoTime(Math.max(...group.map(({ lastAtMs }) => lastAtMs))),
    evidence: redactsValues ? redactAll(evidence) : evidence,
    cost: group.map(({ cost }) => cost).reduce(addCosts),
    why: rule.why,
    advice: rule.advice,
    pattern: rule.pattern,
    source: rule.source,
  };
}

const redactAll = (evidence: Evidence): Evidence =>
  Object.fromEntries(
    Object.entries(evidence).map(([name, value]) => {
      if (typeof value === 'number') return [name, value];
      return [name, typeof value === 'string' ? redact(value) : value.map(redact)];
    }),
  );

export const isoTime = (ms: number): string => new Date(Math.floor(ms)).toISOString();
