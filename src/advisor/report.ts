// The advisor's report as data. Saved as JSON it serves as a baseline and to compare two designs.

export type Severity = 'error' | 'warning' | 'note';

/** Most severe first. */
export const severities: readonly Severity[] = ['error', 'warning', 'note'];

export interface Source {
  /** Title of the page. */
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
  /** Whether literals and keys are left out of the evidence. */
  readonly redactsValues?: boolean;
}

/** One thing to fix: all that one rule found in one table. */
export interface Finding {
  readonly rule: string;
  readonly severity: Severity;
  readonly account: string;
  /** Null if it concerns the account, or a client. */
  readonly table: string | null;
  /** How often it was seen. */
  readonly count: number;
  /** ISO 8601, model time. */
  readonly firstAt: string;
  readonly lastAt: string;
  /** Figures, names and an example request. */
  readonly evidence: Evidence;
  /** An estimate of what a fix saves; 0 where it saves nothing. */
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

/** Accepts what a rule finds, in one table or in all. */
export interface Ignore {
  readonly rule: string;
  readonly table?: string | undefined;
  readonly reason: string;
}

/**
 * `kept`: the application sent requests that the question is about, and no rule fired. `notObserved`: it sent none of them.
 * `notObservable`: traffic cannot answer the question.
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
  /** Null for requests that concern the account. */
  readonly table: string | null;
  /** Requests that the service would bill. A transaction or a page counts once. */
  readonly billableTransactions: number;
  /** Entity units of 1 KiB. */
  readonly units: number;
  /** By the storage team's formula; null if the table has over 200,000 entities or is gone. */
  readonly storedBytes: number | null;
}

export interface AdvisorReport {
  /** ISO 8601: the start of the emulator, or the last reset of the advisor. */
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

/** Moves accepted findings to `ignored`. The first entry that fits gives the reason. */
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

/** Whether an entry accepts a finding. */
export const covers = ({ rule, table }: Ignore, finding: Finding): boolean =>
  rule === finding.rule && (table === undefined || table.toLowerCase() === finding.table?.toLowerCase());

/** Identifies a finding by its rule and table. */
export const findingName = ({ rule, table }: Pick<Finding, 'rule' | 'table'>): string =>
  `${rule}:${table?.toLowerCase() ?? ''}`;

const ranks: Readonly<Record<Severity, number>> = { error: 3, warning: 2, note: 1 };

/** Whether a severity is at least as high as another one. */
export const isAtLeast = (severity: Severity, least: Severity): boolean => ranks[severity] >= ranks[least];

export const bySeverity = (a: Finding, b: Finding): number =>
  ranks[b.severity] - ranks[a.severity] || b.count - a.count || (findingName(a) < findingName(b) ? -1 : 1);
