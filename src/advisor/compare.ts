// Compares two reports. The result has the new findings, the findings that are gone, the findings that are in both
// reports, and the cost of both designs.

import { costText, inTable } from './render-text.ts';
import { type AdvisorReport, type Finding, findingName } from './report.ts';

export interface ReportComparison {
  readonly added: readonly Finding[];
  readonly gone: readonly Finding[];
  readonly kept: readonly { readonly before: Finding; readonly now: Finding }[];
  readonly before: ReportUse;
  readonly now: ReportUse;
}

/** The requests that a report is about, and what they cost. */
export interface ReportUse {
  readonly requests: number;
  readonly billableTransactions: number;
  readonly units: number;
}

export function compareReports(before: AdvisorReport, now: AdvisorReport): ReportComparison {
  const known = new Map(before.findings.map((finding) => [findingName(finding), finding]));
  const current = new Set(now.findings.map(findingName));
  return {
    added: now.findings.filter((finding) => !known.has(findingName(finding))),
    gone: before.findings.filter((finding) => !current.has(findingName(finding))),
    kept: now.findings.flatMap((finding) => {
      const earlier = known.get(findingName(finding));
      return earlier ? [{ before: earlier, now: finding }] : [];
    }),
    before: useOf(before),
    now: useOf(now),
  };
}

function useOf({ requests, tables }: AdvisorReport): ReportUse {
  const sum = (name: 'billableTransactions' | 'units'): number =>
    tables.reduce((total, table) => total + table[name], 0);
  return { requests, billableTransactions: sum('billableTransactions'), units: sum('units') };
}

export function renderComparison({ added, gone, kept, before, now }: ReportComparison): string {
  const nameOf = (finding: Finding): string => `${finding.rule}${inTable(finding)}`;
  const lines = [
    ...added.map((finding) => `new    ${nameOf(finding)} (${finding.count}×)`),
    ...gone.map((finding) => `gone   ${nameOf(finding)} (${finding.count}×)${savedBy(finding)}`),
    ...kept.map((pair) => `stays  ${nameOf(pair.now)} (${pair.before.count}× → ${pair.now.count}×)`),
    ...(['requests', 'billableTransactions', 'units'] as const).map(
      (name) => `${useNames[name]}  ${before[name].toLocaleString('en-US')} → ${now[name].toLocaleString('en-US')}`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

const useNames = {
  requests: 'requests',
  billableTransactions: 'billable transactions',
  units: 'entity units',
} as const;

function savedBy({ cost }: Finding): string {
  const text = costText(cost);
  return text === '' ? '' : `, which cost ${text}`;
}
