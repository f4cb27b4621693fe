// Finds which settings are given, and where: by a flag, a variable, the settings file, a profile, or the image.

import { type Command, Option } from 'commander';
import { isOverruled, type SettingName } from '../settings/contradictions.ts';
import { dataRows, imageVolume } from '../settings/data-settings.ts';
import { fileFlags } from '../settings/file-settings.ts';
import { nearest } from '../settings/nearest-name.ts';
import { presetOf } from '../settings/presets.ts';
import { type ProfileName, profileRows } from '../settings/profile-settings.ts';
import type { Setting } from '../settings/setting.ts';
import { namesOf, variablePrefix } from '../settings/setting-names.ts';
import { commandLineRows, optionRows, settingGroups } from '../settings/settings-table.ts';
import type { Environment } from './command-context.ts';
import { imageVariable, volumeIn } from './process-variables.ts';
import { type FlagRow, flagRows, isFlagRow, type Rows, readWordOrRefuse, type SingleRow } from './setting-flags.ts';
import {
  findInFile,
  findObjectInFile,
  noFile,
  placeInFile,
  readSettingsFile,
  type SettingsFile,
} from './settings-file.ts';

export interface Given {
  /** In the unit of the setting. */
  readonly value: unknown;
  readonly from: Origin;
}

/** Where a value comes from. */
export type Origin =
  | { readonly kind: 'flag' | 'variable' | 'profile'; readonly name: string }
  | { readonly kind: 'file'; readonly name: string; readonly file: string }
  | { readonly kind: 'image' };

export interface Sources {
  readonly command: Command;
  readonly environment: Environment;
  readonly file: SettingsFile;
  readonly profile: ProfileName;
  /** The folder of the volume, in a container of the image. */
  readonly volume?: string;
}

type Find = (row: FlagRow, sources: Sources) => Given | undefined;

/** The first function that finds a value decides. If none finds a value, the default applies. */
const chain: readonly Find[] = [findFlag, findVariable, findAzuriteVariable, findMember, findInProfile, findInImage];

/** Reads the settings file. Throws UnusableOption. */
export function openSources(command: Command, environment: Environment): Sources {
  const unread = { command, environment, file: noFile, profile: 'default' } as const;
  const config = findGiven(fileFlags.config, unread);
  const named = config && { path: String(config.value), place: describeOrigin(config.from) };
  const sources = { ...unread, file: readSettingsFile(named) };
  const profile = (findGiven(profileRows.profile, sources)?.value ?? profileRows.profile.default) as ProfileName;
  const volume = volumeIn(environment);
  return { ...sources, profile, ...(volume === undefined ? {} : { volume }) };
}

/** Only values that the user gave, without values that a profile or the image sets. */
export const explicit = ({ command, environment, file }: Sources): Sources => ({
  command,
  environment,
  file,
  profile: 'default',
});

/** The value of a setting and where it comes from; undefined if the default applies. Throws UnusableOption. */
export function findGiven(row: FlagRow, sources: Sources): Given | undefined {
  for (const find of chain) {
    const given = find(row, sources);
    if (given !== undefined) return given;
  }
  return undefined;
}

/** The folder of the data; undefined if the data is in memory or in a database. Throws UnusableOption. */
export function findFolder(sources: Sources): string | undefined {
  if (findGiven(dataRows.inMemory, sources)?.value === true || findGiven(dataRows.store, sources)) return undefined;
  return String(findGiven(dataRows.location, sources)?.value ?? dataRows.location.flagDefault);
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
export function describeOrigin(from: Origin): string {
  switch (from.kind) {
    case 'file':
      return placeInFile(from.name, from.file);
    case 'profile':
      return `profile ${from.name}`;
    case 'image':
      return 'the image';
    default:
      return from.name;
  }
}

const rowsByName: Rows = { ...optionRows, ...commandLineRows };

/** The row of a setting that the table of contradictions names. Each of these settings has a flag. */
export function settingRow(name: SettingName): FlagRow {
  const row = rowsByName[name];
  if (row === undefined || row.kind === 'group' || row.kind === 'object' || !isFlagRow(row))
    throw new Error(`${name} has no flag`);
  return row;
}

function findFlag({ flag }: FlagRow, { command }: Sources): Given | undefined {
  const name = new Option(flag).attributeName();
  if (command.getOptionValueSource(name) !== 'cli') return undefined;
  return { value: command.getOptionValue(name), from: { kind: 'flag', name: namesOf(flag).flag } };
}

/** A variable that is empty counts as not set. */
function findVariable(row: FlagRow, { environment }: Sources): Given | undefined {
  const { variable, isNegative } = namesOf(row.flag);
  const word = environment[variable] || undefined;
  if (word === undefined) return undefined;
  const from = { kind: 'variable', name: variable } as const;
  if (row.kind === 'custom') return { value: word, from };
  const value = readWordOrRefuse(row, word, variable);
  return { value: row.kind === 'switch' && isNegative ? !value : value, from };
}

/** For a switch, Azurite reads `true` as on and every other value as off. */
function findAzuriteVariable(
  { kind, azuriteVariable: name = '' }: FlagRow,
  { environment }: Sources,
): Given | undefined {
  const word = environment[name]?.trim() || undefined;
  if (word === undefined || (kind === 'switch' && word !== 'true')) return undefined;
  return { value: kind === 'switch' ? true : word, from: { kind: 'variable', name } };
}

function findMember(row: FlagRow, { file }: Sources): Given | undefined {
  const value = row.isOutsideFile ? undefined : findInFile(row, file);
  if (value === undefined) return undefined;
  return { value, from: { kind: 'file', name: namesOf(row.flag).member, file: file.path } };
}

function findInProfile(row: FlagRow, sources: Sources): Given | undefined {
  const { profile } = sources;
  return takePreset(row, { value: presetOf(row, profile), from: { kind: 'profile', name: profile } }, sources);
}

function findInImage(row: FlagRow, sources: Sources): Given | undefined {
  const { volume } = sources;
  const preset = volume === undefined || row.kind === 'custom' ? undefined : row.image;
  const value = preset === imageVolume ? volume : preset;
  return takePreset(row, { value, from: { kind: 'image' } }, sources);
}

/** A value of a profile or of the image does not apply if it contradicts a setting that the user gave. */
function takePreset(row: FlagRow, preset: Given, sources: Sources): Given | undefined {
  const { value } = preset;
  if (value === undefined) return undefined;
  const setting = Object.keys(rowsByName).find((name) => rowsByName[name] === row) as SettingName | undefined;
  const given = explicit(sources);
  const isMoot = setting && isOverruled({ setting, value }, (other) => findGiven(settingRow(other), given)?.value);
  return isMoot ? undefined : preset;
}

/**
 * The variables of other parts of Tanzanite: the library, the image, the packages, the command `copy`, and the commands
 * that ask an emulator.
 */
const otherVariables = [
  ...['TANZANITE_URL', 'TANZANITE_COPY_FROM', 'TANZANITE_COPY_TO', 'TANZANITE_CONNECTION_STRING', imageVariable],
  // Variables of the packages. TANZANITE_DOWNLOAD says where releases are. The other variables are for builds
  // (packages/python/hatch_build.py).
  ...[
    'TANZANITE_DOWNLOAD',
    'TANZANITE_WHEEL',
    'TANZANITE_EXECUTABLE',
    'TANZANITE_BUNDLE',
    'TANZANITE_RELEASE_URL',
    'TANZANITE_SHA256SUMS',
  ],
];

/** Variables of this project's own tests, which start the command in their environment. */
const ofTests = /^TANZANITE_TEST_/;

/** Kubernetes gives every container such variables for a service that is named tanzanite. */
const ofKubernetes = /^TANZANITE_(?:SERVICE_(?:HOST|PORT).*|PORT(?:_\d+_.*)?)$/;

/** Lines about variables that begin with our prefix and that nothing reads. */
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
