// The report as Markdown, for a pull request or a job summary.

import { escapeControls } from '../model/printable-text.ts';
import { costText, figureText, inTable, summaryOf } from './render-text.ts';
import type { AdvisorReport, ChecklistRow, Finding } from './report.ts';
import { ruleOf } from './rules.ts';
import type { RuleId } from './thresholds.ts';

export function renderMarkdown(report: AdvisorReport): string {
  const { findings, ignored, checklist, tables } = report;
  const blocks = [
    '# Advisor',
    `${summaryOf(report)}, ${report.from} to ${report.to}.`,
    ...findings.map(renderFinding),
    ...(ignored.length === 0
      ? []
      : ['## Ignored', ignored.map((one) => `- \`${one.rule}\`${inTable(one)}: ${escaped(one.reason)}`).join('\n')]),
    '## Checklist',
    renderTable(['question', 'status', 'rules'], checklist.map(checklistCells)),
    '## Tables',
    renderTable(
      ['account', 'table', 'billable transactions', 'units', 'stored bytes'],
      tables.map(({ account, table, billableTransactions, units, storedBytes }) =>
        [account, table ?? '', billableTransactions, units, storedBytes ?? '–'].map(String),
      ),
    ),
  ];
  return `${blocks.map(printable).join('\n\n')}\n`;
}

function renderFinding(finding: Finding): string {
  const { severity, rule, count, evidence, why, advice, pattern, source, cost } = finding;
  const saving = costText(cost);
  const lines = Object.entries(evidence).map(([name, value]) =>
    typeof value === 'number' ? `- ${figureText([name, value])}` : `- ${name}: ${inCode([value].flat().join(' '))}`,
  );
  return [
    `## ${severity}: ${rule}${inTable(finding)}`,
    `${ruleOf(rule as RuleId).title} (${count}×).`,
    lines.join('\n'),
    escaped(`${why} ${advice}`),
    ...(saving === '' ? [] : [`Fixing it saves about ${saving}.`]),
    `${pattern === null ? '' : `${pattern}. `}Source: ${source.document}, ${source.section}.`,
  ].join('\n\n');
}

const checklistCells = ({ question, status, rules }: ChecklistRow): string[] => [
  question,
  status,
  rules.map((rule) => `\`${rule}\``).join(', '),
];

function renderTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}

/**
 * Escapes control characters, and escapes the characters that reverse the direction of text. Keys, user agents and
 * reasons may contain such characters.
 */
const printable = (block: string): string => block.split('\n').map(escapeControls).join('\n');

const escaped = (text: string): string => text.replaceAll(/[<>]/g, (char) => (char === '<' ? '&lt;' : '&gt;'));

/** A code span. Its fence has more backticks than the text has in a row. */
function inCode(text: string): string {
  const fence = '`'.repeat(Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length)) + 1);
  return `${fence}${fence.length > 1 ? ' ' : ''}${text}${fence.length > 1 ? ' ' : ''}${fence}`;
}
