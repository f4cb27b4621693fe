// Renders a simulation as text for a terminal. Control characters in the texts of entities and queries are escaped.

import { cutMiddle, escapeControls } from '../../model/printable-text.ts';
import { describePattern } from '../pattern-rules.ts';
import { quotedString } from '../show-request.ts';
import type { Distribution } from './distribution.ts';
import type { KeyProblem } from './keyed-table.ts';
import type { QueryGroup } from './query-groups.ts';
import type { KeySimulation, SimulatedTable } from './simulate-keys.ts';

const queriesMax = 20;
const textCharsMax = 200;
const labelChars = 13;

export function renderSimulation(simulation: KeySimulation): string {
  const { sample, present, tables } = simulation;
  const sections = [
    [sampleText(sample)],
    ...(present ? [['present keys', ...distributionLines(present)]] : []),
    ...tables.map((table) => tableLines(table, tables.length > 1)),
    writeLines(simulation),
    queryLines(simulation),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function sampleText({ entities, total, order }: KeySimulation['sample']): string {
  const of =
    total > entities ? `a sample of ${count(entities)} of ${count(total)} entities` : plural(entities, 'entity');
  const how = order === null ? 'written in an unknown order (to set the order, use --order-by)' : `written ${order}`;
  return escapeControls(`${of}, ${how}`);
}

function tableLines({ name, keys, distribution, problems }: SimulatedTable, isOneOfSeveral: boolean): string[] {
  const title = name === 'index' ? 'index table' : isOneOfSeveral ? 'table' : 'design';
  return [
    title,
    ...keys.map(({ partitionKey, rowKey }) =>
      line('keys', `PartitionKey ${shown(partitionKey)}, RowKey ${shown(rowKey)}`),
    ),
    ...distributionLines(distribution),
    ...problems.map((problem) => line('problem', problemText(problem))),
  ];
}

const shown = (expression: string): string => (expression === '' ? '(empty)' : expression);

function distributionLines(distribution: Distribution): string[] {
  const { partitions, largest, quantiles, keyPattern, writesPerSecond, findings, examples } = distribution;
  const lines = examples.slice(0, 1).map((key) => line('example', keyText(key)));
  if (largest) {
    const { partitionKey, entities, share } = largest;
    const sizes = `half of them have at most ${count(quantiles.p50)}, nine in ten have at most ${count(quantiles.p90)}`;
    lines.push(line('partitions', `${count(partitions)}; ${sizes} ${quantiles.p90 === 1 ? 'entity' : 'entities'}`));
    lines.push(line('largest', `${quotedString(partitionKey)} with ${plural(entities, 'entity')}, ${percent(share)}`));
  }
  lines.push(line('writes', `up to ${count(writesPerSecond)} entities a second before a target is exceeded`));
  if (keyPattern === 'spread') lines.push(line('pattern', 'spread: new partitions come in no particular order'));
  for (const { rule, text } of findings) lines.push(line('finding', `${text} (${rule})`));
  if (findings.length === 0 && describePattern(keyPattern)) lines.push(line('pattern', String(keyPattern)));
  return lines;
}

function problemText({ kind, entities, reason, key }: KeyProblem): string {
  const example = key ? `, such as ${keyText(key)}` : '';
  const what = kind === 'collision' ? 'cannot be stored' : 'cannot be stored with these keys';
  return `${plural(entities, 'entity')} ${what}: ${reason}${example}`;
}

function writeLines({ writes: { entities, written, transactions, isAtomic }, tables }: KeySimulation): string[] {
  if (written === entities) return [];
  const place = tables.length > 1 ? 'another table' : isAtomic ? 'the same partition' : 'another partition';
  const how = isAtomic ? 'in one transaction' : 'in a separate request, so the program must repair interrupted writes';
  return [
    'copies',
    line('where', `each copy is in ${place} and is written ${how}`),
    line(
      'writing all',
      `${count(written)} entities instead of ${count(entities)}, ${count(transactions)} billable transactions`,
    ),
  ];
}

function queryLines({ queries, totals, keeps }: KeySimulation): string[] {
  if (queries.length === 0) return ['no query was given or seen'];
  const lines = queries.slice(0, queriesMax).flatMap(groupLines);
  const more = queries.length - queriesMax;
  if (more > 0) lines.push(line('', `and ${plural(more, 'query')} that cost less`));
  const { present, design } = totals;
  lines.push(
    line(
      'all queries',
      `${change(present?.visited, design.visited)} entities visited, ${change(present?.transactions, design.transactions)} billable transactions`,
    ),
  );
  for (const { key, property } of keeps) {
    lines.push(line('keep', `the queries need the present ${key}: keep it as a property, here named ${property}`));
  }
  return ['queries', ...lines];
}

function groupLines({ shape, requests, example, top, present, design }: QueryGroup): string[] {
  const [filter = '', ...others] = design.filters;
  const more = others.length === 0 ? '' : `   (and ${plural(others.length, 'query')} like this one, in parallel)`;
  const plan = present && present.plan !== design.plan ? `${present.plan} → ${design.plan}` : design.plan;
  const where = design.table === 'index' ? ', by the index table' : '';
  const visits = `${change(present?.visited, design.visited)} visited for ${count(design.returned)} returned`;
  const sent = `${change(present?.transactions, design.transactions)} ${design.transactions === 1 && (present?.transactions ?? 1) === 1 ? 'transaction' : 'transactions'}`;
  return [
    line(
      `${count(requests)} ×`,
      `${requests === 1 ? queryText(example) : queryText(shape)}${top === null ? '' : ` (top ${top})`}`,
    ),
    line('', `${plan}${where}; ${visits}, ${sent}`),
    ...(filter === example ? [] : [line('', `send ${queryText(filter)}${more}`)]),
    ...(design.advice === null ? [] : [line('', `advice: ${design.advice}`)]),
  ];
}

const queryText = (filter: string): string => (filter === '' ? '(all entities)' : filter);

const change = (before: number | undefined, after: number): string =>
  before === undefined || before === after ? count(after) : `${count(before)} → ${count(after)}`;

const line = (label: string, text: string): string =>
  `  ${label.padEnd(labelChars)} ${escapeControls(cutMiddle(text, textCharsMax))}`;

const keyText = ({ partitionKey, rowKey }: { readonly partitionKey: string; readonly rowKey: string }): string =>
  `${quotedString(partitionKey)} / ${quotedString(rowKey)}`;

const count = (number: number): string => number.toLocaleString('en-US');

/** The number and the noun, in the plural if needed. Every noun used here ends in -y. */
const plural = (number: number, one: string): string =>
  `${count(number)} ${number === 1 ? one : one.replace(/y$/, 'ies')}`;

function percent(share: number): string {
  const rounded = share * 100;
  return `${rounded < 10 ? rounded.toFixed(1) : Math.round(rounded)} %`;
}
