// What is given: by a flag, else by a variable, else by the settings file.

import { type Command, Option } from 'commander';
import { fileFlags } from '../settings/file-settings.ts';
import { nearest } from '../settings/nearest-name.ts';
import type { Setting } from '../settings/setting.ts';
import { namesOf, variablePrefix } from '../settings/setting-names.ts';
import { settingGroups } from '../settings/settings-table.ts';
import type { Environment } from './command-context.ts';
import { type FlagRow, flagRows, isFlagRow, type Rows, readOrRefuse, type SingleRow } from './setting-flags.ts';
import { findInFile, findObjectInFile, placeInFile, readSettingsFile, type SettingsFile } from './settings-file.ts';

export interface Given {
  /** In the unit of the setting. */
  readonly value: unknown;
  readonly from: Origin;
}

/** Where a value stands. */
export type Origin =
  | { readonly kind: 'flag' | 'variable'; readonly name: string }
  | { readonly kind: 'file'; readonly name: string; readonly file: string };

export interface Sources {
  readonly command: Command;
  readonly environment: Environment;
  readonly file: SettingsFile;
}

/** Reads the settings file. Throws UnusableOption. */
export function openSources(command: Command, environment: Environment): Sources {
  const unread = { command, environment, file: { path: '', members: {} } };
  const config = findGiven(fileFlags.config, unread);
  const named = config && { path: String(config.value), place: placeOf(config.from) };
  return { ...unread, file: readSettingsFile(named) };
}

/** The value of a setting and where it stands; undefined where the default applies. Throws UnusableOption. */
export function findGiven(row: FlagRow, sources: Sources): Given | undefined {
  return findFlag(row, sources.command) ?? findVariable(row, sources.environment) ?? findMember(row, sources.file);
}

/** The values that are given, by the names of their rows and in their units. Throws UnusableOption. */
export function readGiven(rows: Rows, sources: Sources): object {
  const given = Object.entries(rows).flatMap(([name, row]) => {
    const value = readRow(row, sources);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given);
}

function readRow(row: Setting, sources: Sources): unknown {
  switch (row.kind) {
    case 'group':
      return readGroup(row.members, sources);
    case 'object':
      return findObjectInFile(row, sources.file);
    default:
      return readOne(row, sources);
  }
}

function readGroup(members: Rows, sources: Sources): object | undefined {
  const values = readGiven(members, sources);
  return Object.keys(values).length > 0 ? values : undefined;
}

const readOne = (row: SingleRow, sources: Sources): unknown =>
  isFlagRow(row) ? findGiven(row, sources)?.value : undefined;

/** For a message: `--tablePort`, `TANZANITE_TABLE_PORT`, `tablePort in tanzanite.json`. */
export function placeOf(from: Origin): string {
  return from.kind === 'file' ? placeInFile(from.name, from.file) : from.name;
}

function findFlag({ flag }: FlagRow, command: Command): Given | undefined {
  const name = new Option(flag).attributeName();
  if (command.getOptionValueSource(name) !== 'cli') return undefined;
  return { value: command.getOptionValue(name), from: { kind: 'flag', name: namesOf(flag).flag } };
}

/** A variable that is empty counts as not set. */
function findVariable(row: FlagRow, environment: Environment): Given | undefined {
  const { variable, isNegative } = namesOf(row.flag);
  const word = environment[variable] || undefined;
  if (word === undefined) return findAzuriteVariable(row, environment);
  const from = { kind: 'variable', name: variable } as const;
  if (row.kind === 'custom') return { value: word, from };
  const value = readOrRefuse(row, word, variable);
  return { value: row.kind === 'switch' && isNegative ? !value : value, from };
}

/** Azurite takes only `true` for a switch, and anything else for false. */
function findAzuriteVariable(
  { kind, azuriteVariable: name = '' }: FlagRow,
  environment: Environment,
): Given | undefined {
  const word = environment[name]?.trim() || undefined;
  if (word === undefined || (kind === 'switch' && word !== 'true')) return undefined;
  return { value: kind === 'switch' ? true : word, from: { kind: 'variable', name } };
}

function findMember(row: FlagRow, file: SettingsFile): Given | undefined {
  const value = row.isOutsideFile ? undefined : findInFile(row, file);
  if (value === undefined) return undefined;
  return { value, from: { kind: 'file', name: namesOf(row.flag).member, file: file.path } };
}

/** Variables of other parts of Tanzanite: of the commands that ask an emulator, of `copy`, and of the library. */
const otherVariables = ['TANZANITE_URL', 'TANZANITE_COPY_FROM', 'TANZANITE_COPY_TO', 'TANZANITE_CONNECTION_STRING'];

/** Variables of this project's own tests, which start the command in their environment. */
const ofTests = /^TANZANITE_TEST_/;

/** Kubernetes gives every container such variables for a service that is named tanzanite. */
const ofKubernetes = /^TANZANITE_(?:SERVICE_(?:HOST|PORT).*|PORT(?:_\d+_.*)?)$/;

/** Lines about variables that begin like ours and that nothing reads. */
export function describeUnknownVariables(environment: Environment): string[] {
  const known = settingGroups.flatMap(({ rows }) => flagRows(rows)).map(({ flag }) => namesOf(flag).variable);
  return Object.keys(environment)
    .filter((name) => name.startsWith(variablePrefix) && !ofKubernetes.test(name) && !ofTests.test(name))
    .filter((name) => !known.includes(name) && !otherVariables.includes(name))
    .map((name) => {
      const near = nearest(name, known);
      return `${name}: there is no such setting${near === undefined ? '' : `; did you mean ${near}?`}`;
    });
}
