// The inputs of `advise` besides the emulator: accepted findings and saved reports.

import { type AdvisorReport, findingName, type Ignore, withoutIgnored } from '../advisor/report.ts';
import { ruleIds } from '../advisor/thresholds.ts';
import { nearest } from '../settings/nearest-name.ts';
import { UnusableOption } from './exit-codes.ts';
import { readFile } from './read-file.ts';

const ignorePattern = /^([^:=]+)(?::([^=]+))?=(.*)$/s;

/** Reads a value of `--ignore`, such as `table-scan:Colours=a small table`. Throws UnusableOption. */
export function readIgnoreFlag(word: string): Ignore {
  const [, rule = '', table, reason = ''] = ignorePattern.exec(word) ?? [];
  if (rule === '' || reason.trim() === '') {
    throw new UnusableOption(`--ignore must be rule[:table]=reason, and the reason must not be empty: ${word}`);
  }
  if (!ruleIds.some((id) => id === rule)) {
    const near = nearest(rule, ruleIds);
    const hint = near === undefined ? 'docs/advisor lists the rules' : `did you mean ${near}?`;
    throw new UnusableOption(`--ignore: there is no rule ${rule}; ${hint}`);
  }
  return { rule, table, reason: reason.trim() };
}

/** Reads a report that `advise --format json` printed. Throws UnusableOption. */
export function readReportFile(flag: string, file: string): AdvisorReport {
  const place = `${flag} ${file}`;
  let value: unknown;
  try {
    value = JSON.parse(
      readFile(place, file)
        .toString('utf8')
        .replace(/^\ufeff/, ''),
    );
  } catch (error) {
    if (error instanceof UnusableOption) throw error;
    throw new UnusableOption(`${place} is not JSON.`);
  }
  if (isReport(value)) return value;
  throw new UnusableOption(`${place} is not a report that tanzanite advise --format json printed.`);
}

function isReport(value: unknown): value is AdvisorReport {
  const { findings, tables, requests } = (value ?? {}) as Record<string, unknown>;
  const isList = Array.isArray(findings) && Array.isArray(tables) && typeof requests === 'number';
  return isList && findings.every((one: unknown) => typeof (one as { rule?: unknown } | null)?.rule === 'string');
}

/** Treats the findings of an earlier report as accepted. */
export function withoutKnown(report: AdvisorReport, baseline: AdvisorReport): AdvisorReport {
  const known = new Set([...baseline.findings, ...(baseline.ignored ?? [])].map(findingName));
  const ignores = report.findings
    .filter((finding) => known.has(findingName(finding)))
    .map(({ rule, table }) => ({ rule, table: table ?? undefined, reason: 'in the baseline' }));
  return withoutIgnored(report, ignores);
}
