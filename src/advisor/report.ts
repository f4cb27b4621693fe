// The advisor's report as data. A report that was saved as JSON can serve as the baseline of a later run, or for a
// comparison with another design.

export type Severity = 'error' | 'warning' | 'note';

/** From the most severe to the least. */
export const severities: readonly Severity[] = ['error', 'warning', 'note'];

export interface Source {
  /** The title of the page. */
  readonly document: string;
  readonly section: string;
}

/** An estimate of what a fix saves. */
export interface Cost {
  readonly visited: number;
  readonly bytes: number;
  readonly roundTrips: number;
  /** Billable transactions. */
  readonly transactions: number;
}

export type Evidence = Readonly<Record<string, string | number | readonly string[]>>;

export interface ReportOptions {
  /** Whether literals and keys in the evidence are replaced by `…`. */
  readonly redactsValues?: boolean;
}

/** Everything that one rule found in one table. */
export interface Finding {
  readonly rule: string;
  readonly severity: Severity;
  readonly account: string;
  /** Null if the finding concerns the account or a client. */
  readonly table: string | null;
  /** How often the problem was seen. */
  readonly count: number;
  /** When the problem was first seen, in ISO 8601, by the emulator's clock. */
  readonly firstAt: string;
  readonly lastAt: string;
  /** Figures, names and an example request. */
  readonly evidence: Evidence;
  /** An estimate of what a fix saves. A member is 0 if a fix saves nothing of it. */
  readonly cost: Cost;
  readonly why: string;
  readonly advice: string;
  /** The name of a pattern in Microsoft's table design guide. */
  readonly pattern: string | null;
  readonly source: Source;
}

/** A finding that a setting or a flag accepts. */
export interface IgnoredFinding extends Finding {
  readonly reason: string;
}

/** Accepts the findings of a rule, in one table or in all tables. */
export interface Ignore {
  readonly rule: string;
  readonly table?: string | undefined;
  readonly reason: string;
}

/**
 * `kept`: the application sent requests that the question is about, and no rule of the question has a finding.
 * `broken`: a rule of the question has a finding. `notObserved`: the application sent no requests that the question is
 * about. `notObservable`: requests cannot answer the question.
 */
export type ChecklistStatus = 'kept' | 'broken' | 'notObserved' | 'notObservable';

export interface ChecklistRow {
  readonly id: string;
  readonly question: string;
  readonly status: ChecklistStatus;
  readonly rules: readonly string[];
  readonly source: Source;
}

export interface TableUse {
  readonly account: string;
  /** Null for requests that concern the account and no table. */
  readonly table: string | null;
  /** Requests that the service would bill. A transaction or a page counts once. */
  readonly billableTransactions: number;
  /** Entity units of 1 KiB. */
  readonly units: number;
  /** By the storage team's formula. Null if the table has over 200,000 entities or no longer exists. */
  readonly storedBytes: number | null;
}

export interface AdvisorReport {
  /** When the emulator started or the advisor was last reset, in ISO 8601. */
  readonly from: string;
  readonly to: string;
  readonly requests: number;
  /** Requests that the rules did not judge because they came too fast. They still count in loads and tables. */
  readonly notJudged: number;
  /** Most severe first. */
  readonly findings: readonly Finding[];
  readonly ignored: readonly IgnoredFinding[];
  readonly checklist: readonly ChecklistRow[];
  readonly tables: readonly TableUse[];
}

/** Moves accepted findings to `ignored`. The reason is that of the first entry that accepts the finding. */
export function withoutIgnored(report: AdvisorReport, ignores: readonly Ignore[]): AdvisorReport {
  const findings: Finding[] = [];
  const ignored = [...report.ignored];
  for (const finding of report.findings) {
    const entry = ignores.find((ignore) => covers(ignore, finding));
    if (entry) ignored.push({ ...finding, reason: entry.reason });
    else findings.push(finding);
  }
  const broken = new Set(findings.map(({ rule }) => rule));
  const checklist = report.checklist.map((row) =>
    row.status === 'broken' && !row.rules.some((rule) => broken.has(rule)) ? { ...row, status: 'kept' as const } : row,
  );
  return { ...report, findings, ignored, checklist };
}

/** Whether an entry of `ignore` accepts a finding. */
export const covers = ({ rule, table }: Ignore, finding: Finding): boolean =>
  rule === finding.rule && (table === undefined || table.toLowerCase() === finding.table?.toLowerCase());

/** A text that identifies a finding by its rule and table. */
export const findingName = ({ rule, table }: Pick<Finding, 'rule' | 'table'>): string =>
  `${rule}:${table?.toLowerCase() ?? ''}`;

const ranks: Readonly<Record<Severity, number>> = { error: 3, warning: 2, note: 1 };

/** Whether `severity` is at least as high as `least`. */
export const isAtLeast = (severity: Severity, least: Severity): boolean => ranks[severity] >= ranks[least];

export const bySeverity = (a: Finding, b: Finding): number =>
  ranks[b.severity] - ranks[a.severity] || b.count - a.count || (findingName(a) < findingName(b) ? -1 : 1);
