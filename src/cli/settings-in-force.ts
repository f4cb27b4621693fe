// Determines the settings of a start, and where each value comes from. `tanzanite settings` and GET /_emulator/settings
// show the result.

import type { SettingReport } from '../model/setting-report.ts';
import { accessRows } from '../settings/access-settings.ts';
import { dataRows } from '../settings/data-settings.ts';
import { fileFlags } from '../settings/file-settings.ts';
import { namesOf } from '../settings/setting-names.ts';
import { defaultWord, wordOf } from '../settings/setting-values.ts';
import { settingGroups } from '../settings/settings-table.ts';
import { findFolder, findGiven, type Given, type Sources } from './given-settings.ts';
import { readAccounts } from './read-accounts.ts';
import { type FlagRow, flagRows } from './setting-flags.ts';

export interface SettingInForce {
  readonly row: FlagRow;
  /** The value as it is written after the flag; undefined if there is none. */
  readonly word: string | undefined;
  /** Absent if the default applies. */
  readonly given?: Given;
}

export interface SettingGroup {
  readonly heading: string;
  readonly settings: readonly SettingInForce[];
}

/** All settings in the order of the help. Passwords, tokens and keys are not shown. Throws UnusableOption. */
export function settingsInForce(sources: Sources): readonly SettingGroup[] {
  return settingGroups.map(({ heading, rows }) => ({
    heading,
    settings: flagRows(rows).map((row) => describeSetting(row, sources)),
  }));
}

/** The same settings in the form of GET /_emulator/settings. Throws UnusableOption. */
export function reportSettings(sources: Sources): readonly SettingReport[] {
  return settingsInForce(sources).flatMap(({ heading: group, settings }) =>
    settings.map(({ row, word, given }) => ({
      group,
      name: namesOf(row.flag).member,
      value: settingValue(row, word),
      from: given?.from ?? { kind: 'default' },
      help: row.help,
    })),
  );
}

/** The value in the type that it has in the settings file. */
export function settingValue(row: FlagRow, word: string | undefined): SettingReport['value'] {
  if (word === undefined) return null;
  if (row.kind === 'switch') return word === 'true';
  return row.kind === 'whole number' || row.kind === 'positive number' ? Number(word) : word;
}

function describeSetting(row: FlagRow, sources: Sources): SettingInForce {
  const given = findGiven(row, sources);
  if (given === undefined) return { row, word: defaultOf(row, sources) };
  return { row, given, word: wordGiven(row, given) };
}

/** The default of a setting. The location has none if the data is in memory or in a database. */
function defaultOf(row: FlagRow, sources: Sources): string | undefined {
  if (row.flag === accessRows.accounts.flag) return describeAccounts(undefined);
  if (row.flag === dataRows.location.flag) return findFolder(sources);
  if (row.flag === fileFlags.config.flag) return sources.file.path || undefined;
  // A switch that is not given is off, also a negative one such as --no-explain.
  if (row.kind === 'switch') return 'false';
  return row.kind === 'custom' ? undefined : defaultWord(row);
}

function wordGiven(row: FlagRow, given: Given): string {
  if (row.kind === 'custom') return describeAccounts(given);
  if (row.kind === 'text' && row.isSecret) return row.shown?.(String(given.value)) ?? '(secret)';
  if (row.kind === 'switch') return String(namesOf(row.flag).isNegative ? !given.value : given.value);
  return wordOf(row, given.value as string | number);
}

/** The names of the accounts, without their keys. */
function describeAccounts(given: Given | undefined): string {
  const accounts = readAccounts(given);
  if (accounts.kind !== 'list') return accounts.kind === 'any' ? 'any' : accounts.file;
  return accounts.accounts.map(({ name }) => name).join(', ');
}
