// The settings file, `tanzanite.json`: a JSON object with a member for each flag.

import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { readGuardedFile } from '../auth/key-file.ts';
import { settingsFileDefault } from '../settings/file-settings.ts';
import { nearest } from '../settings/nearest-name.ts';
import type { ObjectSetting, Setting } from '../settings/setting.ts';
import { namesOf } from '../settings/setting-names.ts';
import { readMember } from '../settings/setting-values.ts';
import { settingGroups } from '../settings/settings-table.ts';
import { UnusableOption } from './exit-codes.ts';
import { readFileOrRefuse } from './read-file.ts';
import { type FlagRow, flagRows, misfit } from './setting-flags.ts';

export interface SettingsFile {
  /** The path as it was given; empty if there is no file. */
  readonly path: string;
  readonly members: Readonly<Record<string, unknown>>;
  /** Whether only root may write it. */
  readonly isRootOnly: boolean;
}

export const noFile: SettingsFile = { path: '', members: {}, isRootOnly: false };

/**
 * Reads the named file or, if no file is named, `tanzanite.json` in the working folder. If no file is named and
 * `tanzanite.json` does not exist, returns `noFile`. Throws UnusableOption.
 */
export function readSettingsFile(named: { readonly path: string; readonly place: string } | undefined): SettingsFile {
  if (named === undefined && !existsSync(settingsFileDefault)) return noFile;
  const path = named?.path ?? settingsFileDefault;
  const place = named === undefined ? path : `${named.place} ${path}`;
  const { content, isRootOnly } = readFileOrRefuse(place, () => readGuardedFile(path));
  const members = parseObject(content.toString('utf8'), place);
  refuseUnknown(members, path);
  return { path, members, isRootOnly };
}

/**
 * Returns the value of a setting in the file, in the setting's unit. Returns undefined if the file does not contain the
 * setting. Throws UnusableOption.
 */
export function findInFile(row: FlagRow, { path, members }: SettingsFile): unknown {
  const { member, placeholder, isNegative } = namesOf(row.flag);
  const given = Object.hasOwn(members, member) ? members[member] : undefined;
  if (given === undefined) return undefined;
  const place = placeInFile(member, path);
  if (row.kind === 'custom') {
    if (typeof given !== 'string' || given === '') throw new UnusableOption(`${place} must be ${placeholder}.`);
    return isWord(given, placeholder) ? given : fromFolderOf(path, given);
  }
  const value = readMember(row, given);
  if (value === undefined) throw misfit(row, JSON.stringify(given), place);
  if (row.kind === 'switch') return isNegative ? !value : value;
  const isPath = pathPattern.test(placeholder) && !isWord(String(value), placeholder);
  return isPath ? fromFolderOf(path, String(value)) : value;
}

/** Whether the value is a word that is allowed in place of a path: `any` of `any|file`. */
const isWord = (value: string, placeholder: string): boolean =>
  placeholder.split('|').some((word) => word === value && !pathPattern.test(word));

const pathPattern = /file|folder/;

/** The value of a setting that is an object; undefined if the file does not set it. Throws UnusableOption. */
export function findObjectInFile({ member, read }: ObjectSetting, { path, members }: SettingsFile): object | undefined {
  const given = Object.hasOwn(members, member) ? members[member] : undefined;
  if (given === undefined) return undefined;
  try {
    return read(given);
  } catch (error) {
    throw new UnusableOption(
      `${placeInFile(member, path)}: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
}

export const placeInFile = (member: string, path: string): string => `${member} in ${path}`;

/** Paths in the file are relative to the file. */
function fromFolderOf(path: string, given: string): string {
  const folder = dirname(path);
  return folder === '.' || isAbsolute(given) ? given : join(folder, given);
}

function parseObject(text: string, place: string): SettingsFile['members'] {
  let value: unknown;
  try {
    // Some editors begin a file with a byte order mark.
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new UnusableOption(`${place} is not JSON${whereBroken(error, text)}.`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as SettingsFile['members'];
  throw new UnusableOption(`${place} must be a JSON object, such as {"tablePort": 10002}.`);
}

/**
 * Says in which line the error is. The parser's own message is not shown, because it repeats text of the file, which
 * may contain a secret.
 */
function whereBroken(error: unknown, text: string): string {
  const position = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined;
  if (position === undefined) return '';
  return `: the error is in line ${text.slice(0, Number(position)).split('\n').length} or in the line before`;
}

function refuseUnknown(members: SettingsFile['members'], path: string): void {
  const known = settingGroups.flatMap(({ rows }) => [
    ...flagRows(rows).flatMap((row) => (row.isOutsideFile ? [] : [namesOf(row.flag).member])),
    ...Object.values<Setting>(rows).flatMap((row) => (row.kind === 'object' ? [row.member] : [])),
  ]);
  const unknown = Object.keys(members).find((name) => name !== '$schema' && !known.includes(name));
  if (unknown === undefined) return;
  const near = nearest(unknown, known);
  const hint = near === undefined ? 'tanzanite settings lists the settings' : `did you mean ${near}?`;
  throw new UnusableOption(`${path}: there is no setting "${unknown}"; ${hint}`);
}
