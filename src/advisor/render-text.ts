// The report for a person at a terminal.

import { escapeControls } from '../model/printable-text.ts';
import type { AdvisorReport, ChecklistStatus, Cost, Evidence, Finding } from './report.ts';
import { ruleOf } from './rules.ts';
import type { RuleId } from './thresholds.ts';

/** Lines of text are at most this long. */
const columns = 100;

export function renderText(report: AdvisorReport): string {
  const { findings, ignored } = report;
  const blocks = [
    [summaryOf(report)],
    ...findings.map(renderFinding),
    ...(ignored.length === 0 ? [] : [ignored.map((one) => `ignored  ${one.rule}${placeOf(one)}: ${one.reason}`)]),
    renderChecklist(report),
    renderTables(report),
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map(escapeControls).join('\n'))
    .join('\n\n')}\n`;
}

/** "12 findings (1 error, 9 warnings, 2 notes) in 4,310 requests" */
export function summaryOf({ findings, requests }: Pick<AdvisorReport, 'findings' | 'requests'>): string {
  const counts = (['error', 'warning', 'note'] as const).flatMap((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length;
    return count === 0 ? [] : [plural(count, severity)];
  });
  const detail = counts.length > 0 ? ` (${counts.join(', ')})` : '';
  return `${findings.length === 0 ? 'no findings' : plural(findings.length, 'finding')}${detail} in ${plural(requests, 'request')}`;
}

function renderFinding(finding: Finding): string[] {
  const { severity, rule, count, why, advice, pattern, source, cost } = finding;
  const title = ruleOf(rule as RuleId).title;
  const saving = costText(cost);
  return [
    `${severity}  ${rule}${placeOf(finding)}: ${title} (${count.toLocaleString('en-US')}×)`,
    ...evidenceLines(finding.evidence),
    ...wrapped('why', why),
    ...wrapped('instead', advice),
    ...(saving === '' ? [] : wrapped('saves', saving)),
    ...wrapped('see', [...(pattern === null ? [] : [pattern]), `${source.document}, ${source.section}`].join('; ')),
  ];
}

export const placeOf = ({ table }: Pick<Finding, 'table'>): string => (table === null ? '' : ` in ${table}`);

/** "31,980 entities visited, 27 round trips" */
export function costText({ visited, bytes, roundTrips, transactions }: Cost): string {
  const parts: [number, string, string][] = [
    [visited, 'entity visited', 'entities visited'],
    [bytes, 'byte', 'bytes'],
    [roundTrips, 'round trip', 'round trips'],
    [transactions, 'billed transaction', 'billed transactions'],
  ];
  return parts
    .filter(([number]) => number > 0)
    .map(([number, one, many]) => `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`)
    .join(', ');
}

/** The request on a line of its own, all else on another. */
function evidenceLines(evidence: Evidence): string[] {
  const requests = ['request', 'followedBy', 'read', 'write', 'lost', 'query'];
  const figures = Object.entries(evidence).filter(([name]) => !requests.includes(name) && name !== 'filter');
  const shown = requests.flatMap((name) => (name in evidence ? [[name, evidence[name]] as const] : []));
  return [
    ...shown.flatMap(([name, text]) => wrapped(name === 'followedBy' ? 'then' : name, String(text))),
    ...(figures.length === 0 ? [] : wrapped('figures', figures.map(figureText).join(', '))),
  ];
}

export function figureText([name, value]: readonly [string, Evidence[string]]): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  if (typeof value === 'number') return `${words} ${value.toLocaleString('en-US')}`;
  return `${words} ${typeof value === 'string' ? value : value.join(' ')}`;
}

const labelColumns = 9;

function wrapped(label: string, text: string): string[] {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last === '') lines[lines.length - 1] = word;
    else if (last.length + word.length + labelColumns + 3 > columns) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.map((line, at) => `  ${(at === 0 ? label : '').padEnd(labelColumns)} ${line}`);
}

const statusWords: Readonly<Record<ChecklistStatus, string>> = {
  kept: 'kept',
  broken: 'broken',
  notObserved: 'not observed',
  notObservable: 'not observable',
};

function renderChecklist({ checklist }: AdvisorReport): string[] {
  const statuses = Object.keys(statusWords) as ChecklistStatus[];
  const counts = statuses.map(
    (status) => `${checklist.filter((row) => row.status === status).length} ${statusWords[status]}`,
  );
  const broken = checklist.filter(({ status }) => status === 'broken');
  return [
    `checklist  ${counts.join(', ')}`,
    ...broken.map(({ question, rules }) => `  broken   ${question} (${rules.join(', ')})`),
  ];
}

function renderTables({ tables }: AdvisorReport): string[] {
  if (tables.length === 0) return [];
  const rows = tables.map(({ account, table, billableTransactions, units, storedBytes }) => [
    `${account}/${table ?? ''}`,
    billableTransactions.toLocaleString('en-US'),
    units.toLocaleString('en-US'),
    storedBytes === null ? '–' : storedBytes.toLocaleString('en-US'),
  ]);
  const all = [['table', 'billable', 'units', 'stored bytes'], ...rows];
  const widths = [0, 1, 2, 3].map((at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  return all.map((row) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  '),
  );
}

const plural = (count: number, one: string): string =>
  `${count.toLocaleString('en-US')} ${one}${count === 1 ? '' : 's'}`;
