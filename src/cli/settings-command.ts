// `tanzanite settings`: what a start with the same flags runs with, and where each value comes from.

import type { Command } from 'commander';
import { accessRows } from '../settings/access-settings.ts';
import { dataRows } from '../settings/data-settings.ts';
import { fileFlags } from '../settings/file-settings.ts';
import { namesOf } from '../settings/setting-names.ts';
import { defaultWord, wordOf } from '../settings/setting-values.ts';
import { settingGroups } from '../settings/settings-table.ts';
import { clipMiddle, columnsOf } from './columns.ts';
import type { CommandContext } from './command-context.ts';
import { findGiven, type Given, openSources, placeOf, type Sources } from './given-settings.ts';
import { readAccounts } from './read-accounts.ts';
import { readStartOptions } from './read-start-options.ts';
import { type FlagRow, flagRows } from './setting-flags.ts';
import { print } from './standard-output.ts';
import { addStartFlags, refuseArguments } from './start.ts';

const help = `
It takes the flags of start, starts nothing, and refuses what start refuses. A
flag wins over a variable, a variable over the settings file, and that over the
default. Passwords, tokens and keys are not printed.

Examples:
  tanzanite settings
  tanzanite settings --tablePort 0 --loose
  tanzanite settings --config ci.json --json`;

/** `tanzanite settings` */
export function addSettings(command: Command, { environment, notice }: CommandContext): void {
  command.option('--json', 'print JSON');
  addStartFlags(command)
    .summary('print the settings in force, and where each comes from')
    .description('print the settings that start would run with, and where each of them comes from')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help)
    .action((flags: { readonly json?: true }) => {
      refuseArguments(command);
      const sources = openSources(command, environment);
      // Refuses what a start refuses, such as a certificate without its key.
      readStartOptions(sources, notice);
      const groups = settingGroups.map(({ heading, rows }) => ({
        heading,
        settings: flagRows(rows).map((row) => describeSetting(row, sources)),
      }));
      print(`${flags.json ? renderJson(groups) : renderTable(groups, process.stdout.columns)}\n`);
    });
}

interface SettingInForce {
  readonly row: FlagRow;
  /** As one would write it after the flag; undefined for none. */
  readonly word: string | undefined;
  /** Absent where the default applies. */
  readonly given?: Given;
}

interface SettingGroup {
  readonly heading: string;
  readonly settings: readonly SettingInForce[];
}

function describeSetting(row: FlagRow, sources: Sources): SettingInForce {
  const given = findGiven(row, sources);
  if (given === undefined) return { row, word: defaultOf(row, sources) };
  return { row, given, word: wordGiven(row, given) };
}

/** In memory and in a database there is no folder. */
function defaultOf(row: FlagRow, sources: Sources): string | undefined {
  if (row.flag === accessRows.accounts.flag) return describeAccounts(undefined);
  if (row.flag === dataRows.location.flag && isWithoutFolder(sources)) return undefined;
  if (row.flag === fileFlags.config.flag) return sources.file.path || undefined;
  // A switch without a flag is off, --no-explain as well as --loose.
  if (row.kind === 'switch') return 'false';
  return row.kind === 'custom' ? undefined : defaultWord(row);
}

const isWithoutFolder = (sources: Sources): boolean =>
  findGiven(dataRows.inMemory, sources)?.value === true || findGiven(dataRows.store, sources) !== undefined;

function wordGiven(row: FlagRow, given: Given): string {
  if (row.kind === 'custom') return describeAccounts(given);
  if (row.kind === 'text' && row.isSecret) return row.shown?.(String(given.value)) ?? '(secret)';
  if (row.kind === 'switch') return String(namesOf(row.flag).isNegative ? !given.value : given.value);
  return wordOf(row, given.value as string | number);
}

/** Names without keys. */
function describeAccounts(given: Given | undefined): string {
  const accounts = readAccounts(given);
  if (accounts.kind !== 'list') return accounts.kind === 'any' ? 'any' : accounts.file;
  return accounts.accounts.map(({ name }) => name).join(', ');
}

function renderJson(groups: readonly SettingGroup[]): string {
  const lines = groups.flatMap(({ settings }) =>
    settings.map(({ row, word, given }) => {
      const setting = { value: asJson(row, word), from: given?.from ?? { kind: 'default' } };
      return `  ${JSON.stringify(namesOf(row.flag).member)}: ${JSON.stringify(setting)}`;
    }),
  );
  return `{\n${lines.join(',\n')}\n}`;
}

/** In the type that the settings file has. */
function asJson(row: FlagRow, word: string | undefined): unknown {
  if (word === undefined) return null;
  if (row.kind === 'switch') return word === 'true';
  return row.kind === 'whole number' || row.kind === 'positive number' ? Number(word) : word;
}

const valueColumnsMin = 8;
const none = '–';

/** On a terminal of `columns`, values are clipped so that every line fits. */
export function renderTable(groups: readonly SettingGroup[], columns = Number.POSITIVE_INFINITY): string {
  const lines = groups.flatMap(({ settings }) => settings.map(cellsOf));
  const [nameColumns, valueColumns, fromColumns] = ([0, 1, 2] as const).map((at) =>
    Math.max(...lines.map((cells) => columnsOf(cells[at]))),
  ) as [number, number, number];
  const left = Math.max(valueColumnsMin, Math.min(valueColumns, columns - nameColumns - fromColumns - 6));
  const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - columnsOf(text)));
  return groups
    .map(({ heading, settings }) => {
      const rows = settings
        .map(cellsOf)
        .map(([name, value, from]) => `  ${pad(name, nameColumns)}  ${pad(clipMiddle(value, left), left)}  ${from}`);
      return [heading, ...rows].map((line) => clipMiddle(line, columns)).join('\n');
    })
    .join('\n');
}

function cellsOf({ row, word = none, given }: SettingInForce): readonly [string, string, string] {
  return [namesOf(row.flag).flag, word, given === undefined ? 'default' : placeColumn(given)];
}

/** The flag stands in the first column already. */
const placeColumn = ({ from }: Given): string => (from.kind === 'flag' ? 'flag' : placeOf(from));
