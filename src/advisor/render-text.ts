// Renders the report for a person at a terminal.

import { escapeControls } from '../model/printable-text.ts';
import type { AdvisorReport, ChecklistStatus, Cost, Evidence, Finding } from './report.ts';
import { ruleOf } from './rules.ts';
import type { RuleId } from './thresholds.ts';

const columnsDefault = 100;

/** Lines have at most `columns` characters, unless a single word is longer. */
export function renderText(report: AdvisorReport, columns = columnsDefault): string {
  return join([...findingBlocks(report, columns), renderChecklist(report, columns), renderTables(report)]);
}

/** The report without the checklist and the tables. */
export const renderFindings = (report: AdvisorReport, columns = columnsDefault): string =>
  join(findingBlocks(report, columns));

function findingBlocks(report: AdvisorReport, columns: number): string[][] {
  const { findings, ignored } = report;
  return [
    [summaryOf(report)],
    ...findings.map((finding) => renderFinding(finding, columns)),
    ignored.flatMap((one) => hanging(`ignored  ${one.rule}${inTable(one)}: ${one.reason}`, 9, columns)),
  ];
}

/** Blocks of lines, with an empty line between them. */
function join(blocks: readonly string[][]): string {
  const texts = blocks.filter((lines) => lines.length > 0).map((lines) => lines.map(escapeControls).join('\n'));
  return `${texts.join('\n\n')}\n`;
}

/** Reports of earlier versions of Tanzanite have no `notJudged`. */
type Summed = Pick<AdvisorReport, 'findings' | 'requests'> & Partial<Pick<AdvisorReport, 'notJudged'>>;

/** "12 findings (1 error, 9 warnings, 2 notes) in 4,310 requests" */
export function summaryOf({ findings, requests, notJudged = 0 }: Summed): string {
  const counts = (['error', 'warning', 'note'] as const).flatMap((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length;
    return count === 0 ? [] : [plural(count, severity)];
  });
  const detail = counts.length > 0 ? ` (${counts.join(', ')})` : '';
  return `${findings.length === 0 ? 'no findings' : plural(findings.length, 'finding')}${detail} in ${plural(requests, 'request')}${notJudged > 0 ? `, ${notJudged.toLocaleString('en-US')} of them counted but not judged, because they came too fast` : ''}`;
}

function renderFinding(finding: Finding, columns: number): string[] {
  const wrapped = wrapper(columns);
  const { severity, rule, count, why, advice, pattern, source, cost } = finding;
  const title = ruleOf(rule as RuleId).title;
  const saving = costText(cost);
  return [
    ...hanging(
      `${severity}  ${rule}${inTable(finding)}: ${title} (${count.toLocaleString('en-US')}×)`,
      severity.length + 2,
      columns,
    ),
    ...evidenceLines(finding.evidence, wrapped),
    ...wrapped('why', why),
    ...wrapped('instead', advice),
    ...(saving === '' ? [] : wrapped('saves', saving)),
    ...wrapped('see', [...(pattern === null ? [] : [pattern]), `${source.document}, ${source.section}`].join('; ')),
  ];
}

export const inTable = ({ table }: Pick<Finding, 'table'>): string => (table === null ? '' : ` in ${table}`);

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

/** The lines of the evidence: one for each request, then one for all figures. */
function evidenceLines(evidence: Evidence, wrapped: Wrapper): string[] {
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

type Wrapper = (label: string, text: string) => string[];

const wrapper =
  (columns: number): Wrapper =>
  (label, text) =>
    hanging(`  ${label.padEnd(labelColumns)} ${text}`, labelColumns + 3, columns);

/**
 * Wraps a text. The first `indent` characters of the text are not wrapped. Each line after the first line begins with
 * `indent` spaces.
 */
function hanging(text: string, indent: number, columns: number): string[] {
  const lines = [text.slice(0, indent)];
  for (const [at, word] of text.slice(indent).split(' ').entries()) {
    const last = lines.at(-1) ?? '';
    if (at > 0 && last.length + 1 + word.length > columns) lines.push(' '.repeat(indent) + word);
    else lines[lines.length - 1] = at === 0 ? last + word : `${last} ${word}`;
  }
  return lines;
}

const statusWords: Readonly<Record<ChecklistStatus, string>> = {
  kept: 'kept',
  broken: 'broken',
  notObserved: 'not observed',
  notObservable: 'not observable',
};

function renderChecklist({ checklist }: AdvisorReport, columns: number): string[] {
  const statuses = Object.keys(statusWords) as ChecklistStatus[];
  const counts = statuses.map(
    (status) => `${checklist.filter((row) => row.status === status).length} ${statusWords[status]}`,
  );
  const broken = checklist.filter(({ status }) => status === 'broken');
  return [
    ...hanging(`checklist  ${counts.join(', ')}`, 11, columns),
    ...broken.flatMap(({ question, rules }) => hanging(`  broken   ${question} (${rules.join(', ')})`, 11, columns)),
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
