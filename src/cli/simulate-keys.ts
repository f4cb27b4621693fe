// `tanzanite simulate-keys`: shows what a design of keys would do, before a program is written for it.

import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import type { Command } from 'commander';
import type { GivenQuery } from '../advisor/keys/query-groups.ts';
import { renderSimulation } from '../advisor/keys/render-simulation.ts';
import type { KeySimulation } from '../advisor/keys/simulate-keys.ts';
import { FileFault, LineFault } from '../data/file-fault.ts';
import { type FileFormat, readFileName } from '../data/file-names.ts';
import { SampleReader, type SampleRow } from '../data/sample-reader.ts';
import { askEmulator } from './ask-emulator.ts';
import type { CommandContext, Environment } from './command-context.ts';
import {
  addControlFlags,
  type ControlFlags,
  emulatorEnvironmentHelp,
  readControlAddress,
  tokenEnvironmentHelp,
} from './emulator-flags.ts';
import { UnusableOption } from './exit-codes.ts';
import { readFile } from './read-file.ts';
import { openStandardOutput, remark } from './standard-output.ts';

const help = `
It prints how the entities would be distributed, whether keys only grow, and
which queries would become points, ranges or scans. The entities come from a
table of a running emulator, or from a file. Entities in a file need no keys.
Nothing is changed.

A key is text with properties in braces:
  {Department}                 the value
  {EmployeeId:000000}          with zeros in front, 6 digits
  {OrderDate:yyyyMM}           a date in UTC: yyyy MM dd HH mm ss fff - _ . : T
  {OrderDate:ticks}            .NET ticks, 19 digits
  {OrderDate:inverted}         sorts the newest first; also for whole numbers
  {Email:lower}  {Code:upper}  without regard to case
  {hash(CustomerId,16)}        one of 16 buckets, 00 to 15
  empid_{EmployeeId:000000}    with text before it; {{ and }} mean braces

By default it tries the queries that the emulator received recently. A file of
queries has one filter on each line. "top 10: " before a filter sets $top, *
means all entities, and # begins a comment.

Examples:
  tanzanite simulate-keys --table Employees \\
    --partition-key '{Department}' --row-key '{EmployeeId:000000}'
  tanzanite simulate-keys --file orders.csv --queries filters.txt \\
    --partition-key '{hash(CustomerId,16)}' --row-key '{OrderDate:inverted}'

Environment:
${emulatorEnvironmentHelp}
${tokenEnvironmentHelp}`;

interface SimulateFlags extends ControlFlags {
  readonly table?: string;
  readonly file?: string;
  readonly account?: string;
  readonly partitionKey: string;
  readonly rowKey: string;
  readonly indexPartitionKey?: string;
  readonly indexRowKey?: string;
  readonly indexInSameTable?: true;
  readonly queries?: string;
  readonly orderBy?: string;
  readonly json?: true;
}

/** `tanzanite simulate-keys` */
export function addSimulateKeys(command: Command, { environment }: CommandContext): void {
  addControlFlags(command)
    .summary('try PartitionKey and RowKey before code is written')
    .description('try a design of PartitionKey and RowKey with entities and queries')
    .requiredOption('--partition-key <key>', 'the design of the PartitionKey')
    .requiredOption('--row-key <key>', 'the design of the RowKey; "" for an empty key')
    .option('--table <name>', 'take the entities of this table of a running emulator')
    .option('--account <name>', 'the account of the table (default: the first)')
    .option('--file <file>', 'take the entities of this file: .ndjson, .csv or .json')
    .option('--index-partition-key <key>', 'keep a copy of each entity under this PartitionKey')
    .option('--index-row-key <key>', 'give each of these copies this RowKey')
    .option('--index-in-same-table', 'keep the copies in the same table, not in a second one')
    .option('--queries <file>', 'try the filters in this file instead of recent queries')
    .option('--order-by <property>', 'the property that gives the order of writes')
    .option('--json', 'print JSON')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help)
    .action((flags: SimulateFlags) => simulate(flags, environment));
}

async function simulate(flags: SimulateFlags, environment: Environment): Promise<void> {
  const queries = flags.queries === undefined ? undefined : readQueryFile(flags.queries);
  const index = indexOf(flags);
  const simulation =
    sourceOf(flags) === 'table'
      ? await askForSimulation(flags, { environment, queries, index })
      : await simulateFile(flags, { queries: queries ?? [], index });
  const text = flags.json ? `${JSON.stringify(simulation, undefined, 2)}\n` : renderSimulation(simulation);
  await openStandardOutput().write(text);
}

/** Throws UnusableOption. */
function sourceOf({ table, file, ...flags }: SimulateFlags): 'table' | 'file' {
  if ((table === undefined) === (file === undefined)) {
    throw new UnusableOption('give either --table, of a running emulator, or --file.');
  }
  if (file === undefined) return 'table';
  const [needless] = (['account', 'url', 'insecure', 'controlToken'] as const).filter(
    (name) => flags[name] !== undefined,
  );
  if (needless === undefined) return 'file';
  const name = needless === 'controlToken' ? 'control-token' : needless;
  throw new UnusableOption(`--${name} goes with --table: a file needs no emulator.`);
}

type IndexKeys = { readonly partitionKey: string; readonly rowKey: string; readonly isInSameTable: boolean };

/** Throws UnusableOption. */
function indexOf({ indexPartitionKey, indexRowKey, indexInSameTable }: SimulateFlags): IndexKeys | undefined {
  if (indexPartitionKey !== undefined && indexRowKey !== undefined) {
    return { partitionKey: indexPartitionKey, rowKey: indexRowKey, isInSameTable: indexInSameTable === true };
  }
  if (indexPartitionKey === undefined && indexRowKey === undefined && !indexInSameTable) return undefined;
  throw new UnusableOption('copies need both --index-partition-key and --index-row-key.');
}

interface Asked {
  readonly environment: Environment;
  readonly queries: readonly GivenQuery[] | undefined;
  readonly index: IndexKeys | undefined;
}

const answerBytesMax = 64 * 1_048_576;
/** A simulation with many entities takes long. */
const answerTimeoutMs = 300_000;

async function askForSimulation(flags: SimulateFlags, { environment, queries, index }: Asked): Promise<KeySimulation> {
  const { table, account, partitionKey, rowKey, orderBy } = flags;
  const body = { table, account, partitionKey, rowKey, index, queries, orderBy };
  const question = { method: 'POST', path: 'simulate-keys', body, expects: 'tables' } as const;
  const address = readControlAddress(flags, environment);
  const answer = await askEmulator({ ...question, answerBytesMax, timeoutMs: answerTimeoutMs }, address);
  return answer as unknown as KeySimulation;
}

async function simulateFile(
  { file = '', partitionKey, rowKey, orderBy }: SimulateFlags,
  { queries, index }: Omit<Asked, 'environment' | 'queries'> & { readonly queries: readonly GivenQuery[] },
): Promise<KeySimulation> {
  const { simulateTexts, KeyRefusal } = await import('../advisor/keys/simulate-texts.ts');
  const { entities, isCut } = await readSample(file);
  if (isCut) remark(`${file} has more entities; the first ${entitiesMax.toLocaleString('en-US')} are tried.`);
  const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  try {
    return await simulateTexts({
      partitionKey,
      rowKey,
      index,
      orderBy,
      entities,
      queries,
      nextTurn,
      givenOrder: 'in the order of the file',
    });
  } catch (error) {
    if (error instanceof KeyRefusal) throw new UnusableOption(`${flagOf(error.subject)}${error.message}.`);
    throw error;
  }
}

const flagOf = (subject: string): string =>
  subject === 'entities' ? '' : `--${subject.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}: `;

const entitiesMax = 200_000;

interface FileSample {
  readonly entities: readonly SampleRow[];
  readonly isCut: boolean;
}

/** Throws UnusableOption. */
async function readSample(path: string): Promise<FileSample> {
  const format = readFileName(basename(path))?.format;
  if (!format) throw new UnusableOption(`--file ${path} does not end in .ndjson, .jsonl, .csv or .json.`);
  try {
    return await readRows(path, format);
  } catch (error) {
    if (error instanceof LineFault) throw new UnusableOption(`--file ${path}:${error.line}: ${error.message}.`);
    if (error instanceof FileFault || error instanceof Error) {
      throw new UnusableOption(`--file ${path} cannot be read: ${error.message}.`);
    }
    throw error;
  }
}

async function readRows(path: string, format: FileFormat): Promise<FileSample> {
  const entities: SampleRow[] = [];
  const reader = new SampleReader(format);
  for await (const bytes of createReadStream(path)) {
    for (const { entity } of reader.push(bytes as Buffer)) {
      if (entities.length === entitiesMax) return { entities, isCut: true };
      entities.push(entity);
    }
  }
  for (const { entity } of reader.end()) entities.push(entity);
  return { entities, isCut: false };
}

const topPattern = /^top (\d{1,4}): ?/;
const topMax = 1_000;
const queriesMax = 1_000;

/** Equal lines become one query; their number counts as its requests. Throws UnusableOption. */
function readQueryFile(path: string): readonly GivenQuery[] {
  const place = `--queries ${path}`;
  const counts = new Map<string, number>();
  for (const line of readFile(place, path)
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .split('\n')) {
    const text = line.trim();
    if (text !== '' && !text.startsWith('#')) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  if (counts.size === 0) throw new UnusableOption(`${place} holds no filter.`);
  if (counts.size > queriesMax)
    throw new UnusableOption(`${place} holds ${counts.size} filters; ${queriesMax} are allowed.`);
  return [...counts].map(([text, requests]) => {
    const [prefix = '', digits] = topPattern.exec(text) ?? [];
    const top = digits === undefined ? undefined : Number(digits);
    if (top !== undefined && top > topMax) throw new UnusableOption(`${place}: top ${top} is more than ${topMax}.`);
    const filter = text.slice(prefix.length);
    return { filter: filter === '*' ? '' : filter, requests, ...(top === undefined ? {} : { top }) };
  });
}
