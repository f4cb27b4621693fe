// Makes commander's flags from the rows of the settings table, and gives every flag its other spelling.

import { type Command, Option } from 'commander';
import type { Scalar, Setting } from '../settings/setting.ts';
import { namesOf, otherSpelling } from '../settings/setting-names.ts';
import { defaultWord, describeFlag, readWord } from '../settings/setting-values.ts';
import type { Environment } from './command-context.ts';
import { UnusableOption } from './exit-codes.ts';

/** A setting of one value. */
export type SingleRow = Exclude<Setting, { readonly kind: 'group' | 'object' }>;
export type FlagRow = SingleRow & { readonly flag: string };
export type Rows = Readonly<Record<string, Setting>>;

/** The rows that have a flag, also those in groups, in order. */
export const flagRows = (rows: Rows): FlagRow[] =>
  Object.values(rows).flatMap((row) => {
    if (row.kind === 'group') return flagRows(row.members);
    return row.kind !== 'object' && isFlagRow(row) ? [row] : [];
  });

export const isFlagRow = (row: SingleRow): row is FlagRow => row.flag !== undefined;

/** The flag of a setting. Its parser throws UnusableOption for a value that is not allowed. */
export function flagOf(row: SingleRow): Option {
  const option = new Option(row.flag ?? '', row.help);
  if (row.kind === 'custom') return option;
  const word = defaultWord(row);
  if (word !== undefined) option.default(readWord(row, word), word);
  if (row.kind === 'choice') option.argChoices = Object.keys(row.choices);
  if (row.kind === 'switch') return option;
  return option.argParser((given: string) => readWordOrRefuse(row, given, option.long ?? ''));
}

/** The flag that turns a switch off. It takes precedence over a variable and over the settings file. */
export function oppositeOf({ flag }: FlagRow): Option {
  return new Option(namesOf(flag).opposite).hideHelp();
}

/**
 * Adds the other spelling of every flag of a command, such as `--table-port` for `--tablePort`. The help shows only one
 * spelling.
 */
export function addOtherSpellings(command: Command): void {
  for (const option of command.options) {
    const { long, flags, parseArg } = option;
    const other = otherSpelling(long ?? '--');
    if (!long || other === undefined || command.options.some((known) => known.long === other)) continue;
    const alias = new Option(flags.replace(/^-\w, /, '').replace(long, other)).hideHelp();
    if (parseArg) alias.argParser(parseArg);
    command.addOption(alias);
    // Commander reads `--noExplain` as a separate flag.
    if (option.negate && !alias.negate) {
      command.on(`option:${alias.name()}`, () =>
        command.setOptionValueWithSource(option.attributeName(), false, 'cli'),
      );
    }
  }
}

/** The value from the word after the flag or, without the flag, from the row's variable. Throws UnusableOption. */
export function readSetting(
  row: Scalar & { readonly flag: string },
  word: string | undefined,
  environment: Environment,
): unknown {
  const { flag, variable } = namesOf(row.flag);
  if (word !== undefined) return readWordOrRefuse(row, word, flag);
  const found = environment[variable] || undefined;
  return found === undefined ? undefined : readWordOrRefuse(row, found, variable);
}

/** `place` is the flag or the variable that gives the word. Throws UnusableOption, which repeats no secret. */
export function readWordOrRefuse(row: Scalar, word: string, place: string): unknown {
  const value = readWord(row, word);
  if (value === undefined) throw misfit(row, word, place);
  return value;
}

export function misfit(row: Scalar, given: unknown, place: string): UnusableOption {
  if (row.kind === 'text' && row.pattern === undefined && given === '')
    return new UnusableOption(`${place} must not be empty.`);
  const repeated =
    row.kind === 'text' && row.isSecret ? '' : `, not ${given === '' ? 'empty' : shorten(String(given))}`;
  return new UnusableOption(`${place} must be ${describeFlag(row)}${repeated}.`);
}

const givenCharsMax = 100;

const shorten = (text: string): string => (text.length > givenCharsMax ? `${text.slice(0, givenCharsMax)}…` : text);
