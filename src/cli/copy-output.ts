// What `tanzanite copy` prints.

import { isEqual } from '../data/copy/compare-tables.ts';
import type { planCopy, TableOutcome } from '../data/copy/copy-account.ts';
import type { CopyTally } from '../data/copy/copy-table.ts';
import { fitsPattern } from '../data/copy/name-pattern.ts';
import { escapeControls, quote } from '../model/printable-text.ts';
import type { Sides } from './copy-sides.ts';
import { NoAnswer, UnusableOption } from './exit-codes.ts';
import { countText } from './progress.ts';
import { openStandardOutput, remark } from './standard-output.ts';

interface Printing {
  readonly flags: { readonly json?: true; readonly tables?: readonly string[] };
  readonly sides: Sides;
}

interface Run extends Printing {
  readonly tally: CopyTally;
  readonly elapsedMs: number;
}

/**
 * Prints the result of a copy. Throws NoAnswer if the sides differ or no table matched, and UnusableOption if entities
 * or tables were left out.
 */
export async function printOutcomes(outcomes: readonly TableOutcome[], run: Run): Promise<void> {
  const { flags, sides, tally, elapsedMs } = run;
  const output = openStandardOutput();
  const { entities, entitiesWritten, transactions, repeats, refusals } = tally;
  if (flags.json) {
    const addresses = { from: sides.from.url, to: sides.to.url };
    const figures = { entities, entitiesWritten, transactions, repeats, elapsedMs: Math.round(elapsedMs) };
    const entitiesRefused = sum(outcomes, 'refused');
    const tables = outcomes.map(({ comparison, ...outcome }) =>
      comparison ? { ...outcome, isEqual: isEqual(comparison), comparison } : outcome,
    );
    await output.write(`${JSON.stringify({ ...addresses, ...figures, entitiesRefused, refusals, tables })}\n`);
  } else {
    await output.write(outcomes.map((outcome) => `${describeOutcome(outcome)}\n`).join(''));
    const seconds = (elapsedMs / 1000).toFixed(1);
    const copied = outcomes.filter(({ tableRefused }) => tableRefused === undefined);
    const all = `${quantityText(copied.length, 'table')}, ${quantityText(entities - sum(outcomes, 'refused'), 'entity', 'entities')}`;
    await output.write(`copied ${all} from ${sides.from.url} to ${sides.to.url} in ${seconds} s\n`);
  }
  checkPatterns(outcomes, { flags, sides });
  warnOfPolicies(outcomes);
  if (!flags.json) warnOfRefusals(tally);
  const refused = sum(outcomes, 'refused');
  const faults = outcomes.filter(({ comparison }) => comparison && !isEqual(comparison)).map(describeDifference);
  const tablesRefused = outcomes.filter(({ tableRefused }) => tableRefused !== undefined).length;
  if (refused > 0 || tablesRefused > 0) {
    const what = [
      tablesRefused === 0 ? '' : quantityText(tablesRefused, 'table'),
      refused === 0 ? '' : quantityText(refused, 'entity', 'entities'),
    ].filter((part) => part !== '');
    const line = `${what.join(' and ')} left out; everything else is copied.`;
    throw new UnusableOption([line, ...faults].join(' '));
  }
  if (faults.length > 0) throw new NoAnswer(faults.join(' '));
}

/** Warns of patterns that match no table: they may be misspelt. Throws NoAnswer if no pattern matches a table. */
function checkPatterns(tables: readonly { readonly name: string }[], { flags, sides }: Printing): void {
  const idle = (flags.tables ?? []).filter((pattern) => !tables.some(({ name }) => fitsPattern([pattern])(name)));
  if (idle.length === 0) return;
  const line = `no table at ${sides.from.url} fits ${idle.map((pattern) => `--tables ${quote(pattern)}`).join(', ')}.`;
  if (tables.length === 0) throw new NoAnswer(line);
  remark(`tanzanite: ${line}`);
}

const sum = (outcomes: readonly TableOutcome[], figure: 'entities' | 'refused'): number =>
  outcomes.reduce((total, outcome) => total + outcome[figure], 0);

/** Names the first entities that were left out in this run. */
export function warnOfRefusals({ refusals, entitiesRefused }: CopyTally): void {
  for (const { table, key, status, code, message } of refusals.slice(0, refusalsShownMax)) {
    const keys = key
      ? `PartitionKey ${quote(key.partitionKey)}, RowKey ${quote(key.rowKey)}`
      : 'an entity without keys';
    const reason = status === undefined ? message : `${[status, code].join(' ').trim()}: ${message}`;
    remark(`tanzanite: refused: table ${table}, ${keys}: ${reason}`);
  }
  if (entitiesRefused > refusalsShownMax) {
    remark(`tanzanite: ${quantityText(entitiesRefused - refusalsShownMax, 'more entity', 'more entities')} refused.`);
  }
}

const refusalsShownMax = 20;

function describeOutcome({ name, entities, refused, comparison, tableRefused }: TableOutcome): string {
  if (tableRefused !== undefined) return escapeControls(`${name}: the target refuses the table: ${tableRefused}`);
  const verdict =
    comparison === undefined ? '' : isEqual(comparison) ? `, equal, ${comparison.from.digest}` : ', different';
  const loss = refused === 0 ? '' : `, ${countText(refused)} refused`;
  const others = comparison?.others ? `, ${quantityText(comparison.others, 'other')} at the target` : '';
  return `${escapeControls(name)}: ${quantityText(entities, 'entity', 'entities')}${loss}${verdict}${others}`;
}

function describeDifference({ name, comparison }: TableOutcome): string {
  if (comparison === undefined) return '';
  const { from, to, difference } = comparison;
  const key = difference
    ? `; the first difference is at PartitionKey ${quote(difference.partitionKey)}, RowKey ${quote(difference.rowKey)}`
    : '';
  return `table ${name} differs: ${from.entities} entities with digest ${from.digest} at the source, ${to.entities} with digest ${to.digest} at the target${key}.`;
}

/** Prints each reason once, with the tables to which it applies. */
function warnOfPolicies(outcomes: readonly TableOutcome[]): void {
  const reasons = new Map<string, string[]>();
  for (const { name, policies } of outcomes) {
    if (typeof policies === 'string') continue;
    reasons.set(policies.notCopied, [...(reasons.get(policies.notCopied) ?? []), name]);
  }
  for (const [reason, names] of reasons) {
    const tables = names.length > namesMax ? quantityText(names.length, 'table') : names.join(', ');
    remark(`tanzanite: access policies are not copied, ${reason}: ${tables}`);
  }
}

const namesMax = 5;

/** Prints what a copy would do. Throws NoAnswer if no table matches. */
export async function printPlan(plan: Awaited<ReturnType<typeof planCopy>>, { flags, sides }: Printing): Promise<void> {
  const output = openStandardOutput();
  const { from, to } = sides;
  if (flags.json) await output.write(`${JSON.stringify({ from: from.url, to: to.url, tables: plan })}\n`);
  else {
    const lines = plan.map(({ name, exists }) => `${escapeControls(name)}${exists ? ', exists at the target' : ''}\n`);
    await output.write(
      `${lines.join('')}would copy ${quantityText(plan.length, 'table')} from ${from.url} to ${to.url}\n`,
    );
  }
  checkPatterns(plan, { flags, sides });
}

/** `2 of 5 tables, 184,000 entities, 9,200/s` */
export function describeTally(tally: CopyTally, elapsedMs: number): string {
  const { tables, tablesDone, entities, entitiesWritten, entitiesCompared, entitiesRefused, repeats } = tally;
  const rate = elapsedMs < 1 ? 0 : Math.round((entitiesWritten * 1000) / elapsedMs);
  const parts = [
    `${tablesDone} of ${quantityText(tables, 'table')}, ${quantityText(entities, 'entity', 'entities')}, ${countText(rate)}/s`,
    entitiesCompared === 0 ? '' : `${countText(entitiesCompared)} compared`,
    entitiesRefused === 0 ? '' : `${countText(entitiesRefused)} refused`,
    repeats === 0 ? '' : `${quantityText(repeats, 'request')} sent again`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** `1 entity`, `2,000 entities` */
export const quantityText = (number: number, one: string, many = `${one}s`): string =>
  `${countText(number)} ${number === 1 ? one : many}`;
