import type { Command } from 'commander';
import { ServiceError } from '../model/service-error.ts';
import { isTableName } from '../model/table-name.ts';
import { type Plan, planQuery } from '../query/plan.ts';
import { planAdvice } from '../query/plan-advice.ts';
import { createFilterReader } from '../query/read-filter.ts';
import { type PlanText, planText, type QueryReport } from '../query/report.ts';
import { askEmulator, type ControlAddress } from './ask-emulator.ts';
import type { CommandContext, Environment } from './command-context.ts';
import {
  addControlFlags,
  type ControlFlags,
  emulatorEnvironmentHelp,
  readControlAddress,
  tokenEnvironmentHelp,
} from './emulator-flags.ts';
import { UnusableOption } from './exit-codes.ts';
import { quotesHint } from './filter-words.ts';
import { print } from './standard-output.ts';

const help = `
Without --table it needs no emulator: the plan depends only on the filter. With
--table a running emulator reads one page, and the figures of that page are
printed too.
The exit code is 2 for a filter that the service refuses, and 1 if the emulator
does not answer or refuses.

Examples:
  tanzanite explain "PartitionKey eq 'a' and RowKey ge 'b' and Age gt 5"
  tanzanite explain "Age gt 5" --table People
  tanzanite explain "Age gt 5" --json

Environment:
${emulatorEnvironmentHelp}
${tokenEnvironmentHelp}`;

interface ExplainFlags extends ControlFlags {
  readonly json?: true;
  readonly table?: string;
  readonly account?: string;
}

/** `tanzanite explain <filter>` */
export function addExplain(command: Command, { environment }: CommandContext): void {
  addControlFlags(command)
    .summary('explain what a query costs and how to make it cheaper')
    .description('explain how the service would carry out a query, and how to make it cheaper')
    .argument('<filter...>', 'the filter, as in $filter, best in quotes; "" for none')
    .option('--json', 'print JSON')
    .option('--table <name>', 'read one page of this table of a running emulator')
    .option('--account <name>', 'read the table of this account (default: the first account of the emulator)')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help)
    .action((words: readonly string[], flags: ExplainFlags) => explain(words, flags, environment));
}

/** Throws UnusableOption for a filter that the service refuses, and NoAnswer. */
async function explain(words: readonly string[], flags: ExplainFlags, environment: Environment): Promise<void> {
  // A filter without quotes arrives as several words.
  const filter = words.join(' ');
  const page = readPage(filter, flags, environment);
  const plan = planOf(filter, tableHint(words) ?? quotesHint(words));
  const figures = page && (await readFigures(page));
  const advice = figures ? figures.advice : planAdvice(plan);
  const text = flags.json
    ? JSON.stringify({ ...planText(plan), ...figures, advice: advice ?? null }, undefined, 2)
    : describe(planText(plan), { advice, figures });
  print(`${text}\n`);
}

/** A page that an emulator is asked to read. */
interface Page {
  readonly emulator: ControlAddress;
  readonly query: { readonly filter: string; readonly table: string; readonly account?: string };
}

function readPage(filter: string, flags: ExplainFlags, environment: Environment): Page | undefined {
  const { table, account } = flags;
  if (table === undefined) {
    const needless = (['url', 'insecure', 'account', 'controlToken'] as const).filter(
      (name) => flags[name] !== undefined,
    );
    if (needless.length > 0) throw new UnusableOption(`${needless.map(flagNamed).join(', ')}: give a --table as well.`);
    return undefined;
  }
  const emulator = readControlAddress(flags, environment);
  return { emulator, query: { filter, table, ...(account === undefined ? {} : { account }) } };
}

const flagNamed = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** A hint if a table name comes before the refused filter. In other commands, the table comes first. */
function tableHint([table = '', ...words]: readonly string[]): string | undefined {
  try {
    if (words.length === 0 || !isTableName(table)) return undefined;
    createFilterReader().readFilter(words.join(' '));
    return ` Name the table with --table ${table}, not before the filter.`;
  } catch {
    return undefined;
  }
}

function planOf(filter: string, hint: string): Plan {
  try {
    return planQuery(createFilterReader().readFilter(filter));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new UnusableOption(`the service refuses this filter: ${error.status} ${error.code}: ${error.message}${hint}`);
  }
}

/** What reading one page cost. */
interface Figures extends Pick<QueryReport, 'visited' | 'returned' | 'end'> {
  readonly sentence: string;
  /** What would make the query cheaper; absent if nothing would, or if the emulator gives no advice. */
  readonly advice?: string;
}

async function readFigures({ emulator, query }: Page): Promise<Figures> {
  const body = await askEmulator({ method: 'POST', path: 'explain', body: query, expects: 'visited' }, emulator);
  const { visited, returned, end, sentence, advice } = body as unknown as Omit<Figures, 'advice'> & {
    advice?: string | null;
  };
  return { visited, returned, end, sentence, ...(typeof advice === 'string' ? { advice } : {}) };
}

interface Remarks {
  readonly advice: string | undefined;
  readonly figures: Figures | undefined;
}

function describe({ reason, bounds, residual }: PlanText, { advice, figures }: Remarks): string {
  const lines: [label: string, text: string][] = [];
  if (bounds.length > 0) lines.push(['bounds', bounds.join(' · ')]);
  if (residual !== null) lines.push(['filter', `${residual}   (on each entity visited)`]);
  if (figures) lines.push(['page', describePage(figures)]);
  if (advice !== undefined) lines.push(['advice', advice]);
  return [reason, ...lines.map(([label, text]) => `  ${label.padEnd(9)} ${text}`)].join('\n');
}

/** The sentence without the plan at its beginning: a line above names the plan. */
function describePage({ sentence, visited, returned, end }: Figures): string {
  const effort = /; (\S+ (?:entity|entities) visited for .*)$/.exec(sentence)?.[1];
  return effort ?? `${visited} visited for ${returned} returned; ended by ${end}`;
}
