import { readFileSync } from 'node:fs';
import { text as readStream } from 'node:stream/consumers';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { EntityTextError, isSystemProperty, readEntityJson } from '../data/entity-text.ts';
import { readProperty, typeNames } from '../data/property-text.ts';
import type { EntityQueryOptions, EntityUpsert } from '../data/table-client.ts';
import type { EdmValue } from '../model/edm.ts';
import type { EntityKey } from '../model/entity.ts';
import { escapeControls } from '../model/printable-text.ts';
import type { Properties } from '../model/properties.ts';
import type { CommandContext, Environment } from './command-context.ts';
import {
  addEndpointFlags,
  askEndpoint,
  type EndpointFlags,
  endpointHelp,
  findEndpoint,
  findEndpointToWrite,
} from './data-endpoint.ts';
import { addFormatFlags, type FormatFlags, formatOf, openEntityWriter, printEntity } from './entity-output.ts';
import { UnusableOption } from './exit-codes.ts';
import { quotesHint } from './filter-words.ts';
import { openStandardOutput, remark } from './standard-output.ts';

const examples = `
Examples:
  tanzanite entity put People a 1 name=Ada age:Int32=36
  tanzanite entity query People "PartitionKey eq 'a' and age gt 30"
  tanzanite entity get People a 1
  tanzanite entity merge People a 1 email=ada@example.com
  tanzanite entity delete People a 1`;

const queryHelp = `
The query follows continuations to the end, or up to --top. The printed table
fits the terminal, so values are shortened. JSON and CSV hold complete values,
and JSON also keeps the types.

Examples:
  tanzanite entity query People
  tanzanite entity query People "age gt 30" --select RowKey,name --top 10
  tanzanite entity query People --csv > people.csv
  tanzanite entity query People --connection-string "$AZURE" --ndjson
${endpointHelp}`;

const writeHelp = `
Types: ${typeNames.join(', ')}.
Without a type a value is a String. Put -- before a key that begins with a
hyphen.

Examples:
  tanzanite entity put People a 1 name=Ada age:Int32=36 born:DateTime=1815-12-10
  tanzanite entity merge People a 1 raw:Binary=3q2+7w==
  tanzanite entity put People a 1 --json '{"name":"Ada","age":36}'
  tanzanite entity get People a 1 --json |
    tanzanite entity put Others a 1 --file -
${endpointHelp}`;

/** `tanzanite entity` */
export function addEntity(command: Command, { environment }: CommandContext): void {
  command
    .summary('query, get, put, merge and delete entities')
    .description('query, get, put, merge and delete entities in an emulator or in Azure')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .configureHelp({ subcommandTerm: (below) => below.name() })
    .addHelpText('after', `${examples}\n${endpointHelp}`);
  addQuery(command, environment);
  addGet(command, environment);
  addWrite(command, { environment, name: 'put', mode: 'replace', text: 'insert an entity, or replace it' });
  addWrite(command, { environment, name: 'merge', mode: 'merge', text: 'insert an entity, or add properties to it' });
  addDelete(command, environment);
}

const tableArgument = ['<table>', 'the table'] as const;

const addKeyArguments = (command: Command): Command =>
  command
    .argument(...tableArgument)
    .argument('<partitionKey>', 'its PartitionKey')
    .argument('<rowKey>', 'its RowKey');

interface QueryFlags extends EndpointFlags, FormatFlags {
  readonly select?: readonly string[];
  readonly top?: number;
}

function addQuery(entity: Command, environment: Environment): void {
  const command = entity
    .command('query')
    .description('print the entities of a table, or only those that a filter selects')
    .argument(...tableArgument)
    .argument('[filter...]', 'the filter, as in $filter, best in quotes (default: none)')
    .addOption(new Option('--select <names>', 'only these properties, separated by commas').argParser(readNames))
    .addOption(new Option('--top <n>', 'at most this many entities').argParser(readTop));
  addEndpointFlags(addFormatFlags(command, 'print one JSON array'))
    .addHelpText('after', queryHelp)
    .action((table: string, words: readonly string[], flags: QueryFlags) => {
      const { select, top } = flags;
      const filter = words.join(' ');
      const query = {
        ...(filter.trim() === '' ? {} : { filter }),
        ...(select === undefined ? {} : { select }),
        ...(top === undefined ? {} : { top }),
      };
      return printQuery({ table, query, flags }, environment).catch((error: unknown) => {
        throw error instanceof UnusableOption ? new UnusableOption(error.message + quotesHint(words)) : error;
      });
    });
}

function readNames(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw new InvalidArgumentError('Give names of properties, separated by commas.');
  return [...new Set(names)];
}

function readTop(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give a whole number from 1 up.');
}

interface Question {
  readonly table: string;
  readonly query: EntityQueryOptions;
  readonly flags: QueryFlags;
}

async function printQuery({ table, query, flags }: Question, environment: Environment): Promise<void> {
  const endpoint = findEndpoint(flags, environment);
  const output = openStandardOutput();
  const format = formatOf(flags);
  const writer = openEntityWriter(format, output, query.select);
  let count = 0;
  await askEndpoint(endpoint, { table }, async (client) => {
    for await (const rows of client.queryEntities(table, query)) {
      count += rows.length;
      await writer.write(rows);
    }
  });
  await writer.end();
  const isSeen = process.stderr.isTTY === true;
  if (count === 0 && (format === 'table' || isSeen)) {
    remark(`no entities${query.filter === undefined ? '' : ' match the filter'} in table ${table} at ${endpoint.url}`);
  } else if (isSeen) remark(count === 1 ? '1 entity' : `${count} entities`);
}

function addGet(entity: Command, environment: Environment): void {
  const command = addKeyArguments(entity.command('get').description('print one entity, with the types of its values'));
  addEndpointFlags(addFormatFlags(command, 'print one JSON object'))
    .addHelpText('after', `${examples}\n${endpointHelp}`)
    .action(async (table: string, partitionKey: string, rowKey: string, flags: EndpointFlags & FormatFlags) => {
      const endpoint = findEndpoint(flags, environment);
      const key = { partitionKey, rowKey };
      const row = await askEndpoint(endpoint, subjectOf(table, key), (client) => client.getEntity(table, key));
      await printEntity(row, formatOf(flags), openStandardOutput());
    });
}

function addDelete(entity: Command, environment: Environment): void {
  addEndpointFlags(addKeyArguments(entity.command('delete').description('delete one entity')))
    .addHelpText('after', `${examples}\n${endpointHelp}`)
    .action(async (table: string, partitionKey: string, rowKey: string, flags: EndpointFlags) => {
      const endpoint = findEndpointToWrite(flags, environment);
      const key = { partitionKey, rowKey };
      await askEndpoint(endpoint, subjectOf(table, key), (client) => client.deleteEntity(table, key));
      await confirm('deleted', { table, key, url: endpoint.url });
    });
}

interface WriteCommand {
  readonly environment: Environment;
  readonly name: string;
  readonly mode: EntityUpsert['mode'];
  readonly text: string;
}

interface WriteFlags extends EndpointFlags {
  readonly json?: string;
  readonly file?: string;
}

function addWrite(entity: Command, { environment, name, mode, text }: WriteCommand): void {
  const command = addKeyArguments(entity.command(name).description(text))
    .argument('[properties...]', 'name=value, or name:Type=value')
    .usage('<table> <partitionKey> <rowKey> [properties...]')
    .option('--json <object>', 'take the properties of a JSON object')
    .addOption(
      new Option('--file <file>', 'take the properties of a JSON object in a file; - reads standard input').conflicts(
        'json',
      ),
    );
  addEndpointFlags(command)
    .addHelpText('after', writeHelp)
    .action(async (...words: [string, string, string, readonly string[], WriteFlags]) => {
      const [table, partitionKey, rowKey, texts, flags] = words;
      const properties = await readProperties(texts, flags);
      const endpoint = findEndpointToWrite(flags, environment);
      const key = { partitionKey, rowKey };
      const write = { mode, properties };
      await askEndpoint(endpoint, { table }, (client) => client.upsertEntity(table, key, write));
      await confirm(mode === 'replace' ? 'put' : 'merged', { table, key, url: endpoint.url });
    });
}

/** The keys on the command line count, so keys in the JSON object are ignored. Throws UnusableOption. */
async function readProperties(texts: readonly string[], { json, file }: WriteFlags): Promise<Properties> {
  const properties = new Map<string, EdmValue>();
  const source = file === undefined ? '--json' : `--file ${file}`;
  const object = file === undefined ? json : await readText(file);
  if (object !== undefined) {
    const row = readOrRefuse(`${source}: `, () => readEntityJson(object));
    for (const [name, value] of row) if (!isSystemProperty(name)) properties.set(name, value);
  }
  for (const text of texts) {
    const [name, value] = readOrRefuse('', () => readProperty(text));
    if (properties.has(name)) throw new UnusableOption(`property ${name} is given twice.`);
    properties.set(name, value);
  }
  return properties;
}

async function readText(file: string): Promise<string> {
  try {
    return file === '-' ? await readStream(process.stdin) : readFileSync(file, 'utf8');
  } catch (error) {
    throw new UnusableOption(`--file ${file} cannot be read: ${error instanceof Error ? error.message : error}.`);
  }
}

function readOrRefuse<Value>(prefix: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof EntityTextError) throw new UnusableOption(`${prefix}${error.message}.`);
    throw error;
  }
}

const keyText = ({ partitionKey, rowKey }: EntityKey): string =>
  `entity with PartitionKey '${partitionKey}' and RowKey '${rowKey}'`;

const subjectOf = (table: string, key: EntityKey) => ({ table, entity: keyText(key) });

interface Written {
  readonly table: string;
  readonly key: EntityKey;
  readonly url: string;
}

const confirm = (verb: string, { table, key, url }: Written): Promise<void> =>
  openStandardOutput().write(`${escapeControls(`${verb} ${keyText(key)} in table ${table}`)} at ${url}\n`);
