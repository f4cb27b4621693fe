// What `tanzanite copy` prints.

import { isEqual } from '../data/copy/compare-tables.ts';
import type { planCopy, TableOutcome } from '../data/copy/copy-account.ts';
import type { Tally } from '../data/copy/copy-table.ts';
import { escapeControls, quote } from '../model/printable-text.ts';
import { count } from './copy-progress.ts';
import type { Sides } from './copy-sides.ts';
import { NoAnswer } from './exit-codes.ts';
import { openStandardOutput, remark } from './standard-output.ts';

interface Printing {
  readonly flags: { readonly json?: true };
  readonly sides: Sides;
}

interface Run extends Printing {
  readonly tally: Tally;
  readonly elapsedMs: number;
}

/** Throws NoAnswer where the sides differ. */
export async function printOutcomes(outcomes: readonly TableOutcome[], run: Run): Promise<void> {
  const { flags, sides, tally, elapsedMs } = run;
  const output = openStandardOutput();
  const { entities, entitiesWritten, transactions, repeats } = tally;
  if (flags.json) {
    const addresses = { from: sides.from.url, to: sides.to.url };
    const figures = { entities, entitiesWritten, transactions, repeats, elapsedMs: Math.round(elapsedMs) };
    const tables = outcomes.map(({ comparison, ...outcome }) =>
      comparison ? { ...outcome, isEqual: isEqual(comparison), comparison } : outcome,
    );
    await output.write(`${JSON.stringify({ ...addresses, ...figures, tables })}\n`);
  } else {
    await output.write(outcomes.map((outcome) => `${describeOutcome(outcome)}\n`).join(''));
    const seconds = (elapsedMs / 1000).toFixed(1);
    const all = `${count(outcomes.length, 'table')}, ${count(entities, 'entity', 'entities')}`;
    await output.write(`copied ${all} from ${sides.from.url} to ${sides.to.url} in ${seconds} s\n`);
  }
  warnOfPolicies(outcomes);
  const different = outcomes.filter(({ comparison }) => comparison && !isEqual(comparison));
  if (different.length > 0) throw new NoAnswer(different.map(describeDifference).join(' '));
}

function describeOutcome({ name, entities, comparison }: TableOutcome): string {
  const verdict =
    comparison === undefined ? '' : isEqual(comparison) ? `, equal, ${comparison.from.digest}` : ', different';
  const others = comparison?.others ? `, ${count(comparison.others, 'other')} at the target` : '';
  return `${escapeControls(name)}: ${count(entities, 'entity', 'entities')}${verdict}${others}`;
}

function describeDifference({ name, comparison }: TableOutcome): string {
  if (comparison === undefined) return '';
  const { from, to, difference } = comparison;
  const key = difference
    ? `; first at PartitionKey ${quote(difference.partitionKey)}, RowKey ${quote(difference.rowKey)}`
    : '';
  return `table ${name} differs: ${from.entities} entities, digest ${from.digest}, and ${to.entities}, ${to.digest}${key}.`;
}

/** A reason once, with the tables it holds for. */
function warnOfPolicies(outcomes: readonly TableOutcome[]): void {
  const reasons = new Map<string, string[]>();
  for (const { name, policies } of outcomes) {
    if (typeof policies === 'string') continue;
    reasons.set(policies.notCopied, [...(reasons.get(policies.notCopied) ?? []), name]);
  }
  for (const [reason, names] of reasons) {
    const tables = names.length > namesMax ? count(names.length, 'table') : names.join(', ');
    remark(`tanzanite: access policies are not copied, ${escapeControls(`${reason}: ${tables}`)}`);
  }
}

const namesMax = 5;

export async function printPlan(plan: Awaited<ReturnType<typeof planCopy>>, { flags, sides }: Printing): Promise<void> {
  const output = openStandardOutput();
  const { from, to } = sides;
  if (flags.json) await output.write(`${JSON.stringify({ from: from.url, to: to.url, tables: plan })}\n`);
  else {
    const lines = plan.map(({ name, exists }) => `${escapeControls(name)}${exists ? ', exists at the target' : ''}\n`);
    await output.write(`${lines.join('')}would copy ${count(plan.length, 'table')} from ${from.url} to ${to.url}\n`);
  }
}
