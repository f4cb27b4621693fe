// Rows of the table of settings as flags of commander.

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Scalar, Setting } from '../settings/setting.ts';
import { defaultWord, describeFlag, readWord } from '../settings/setting-values.ts';
import type { Environment } from './command-context.ts';
import { UnusableOption } from './exit-codes.ts';

type FlagRow = Exclude<Setting, { readonly kind: 'group' }>;
type Rows = Readonly<Record<string, Setting>>;

/** The rows that are flags, those of groups too, in their order. */
export const flagRows = (rows: Rows): FlagRow[] =>
  Object.values(rows).flatMap((row) => {
    if (row.kind === 'group') return flagRows(row.members);
    return row.flag === undefined ? [] : [row];
  });

/** Throws what commander prints for a value that does not fit. */
export function flagOf(row: FlagRow): Option {
  const option = new Option(row.flag ?? '', row.help);
  if (row.kind === 'custom') return option;
  const word = defaultWord(row);
  if (word !== undefined) option.default(readWord(row, word), word);
  if (row.kind === 'choice') return option.choices(Object.keys(row.choices));
  // Commander repeats the word that it refuses, so readGiven checks a secret.
  if (row.kind === 'switch' || (row.kind === 'text' && row.isSecret)) return option;
  return option.argParser((given: string) => {
    const value = readWord(row, given);
    if (value === undefined) throw new InvalidArgumentError(`It must be ${describeFlag(row)}.`);
    return value;
  });
}

/**
 * The values that flags, or else the environment, give, by the names of their rows and in their units. Defaults are left
 * out. Throws UnusableOption for a secret or a variable that does not fit.
 */
export function readGiven(rows: Rows, command: Command, environment: Environment): object {
  const given = Object.entries(rows).flatMap(([name, row]) => {
    const value =
      row.kind === 'group' ? readGroup(row.members, command, environment) : readOne(row, command, environment);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given);
}

function readGroup(members: Rows, command: Command, environment: Environment): object | undefined {
  const values = readGiven(members, command, environment);
  return Object.keys(values).length > 0 ? values : undefined;
}

function readOne(row: FlagRow, command: Command, environment: Environment): unknown {
  if (row.flag === undefined) return undefined;
  const name = new Option(row.flag).attributeName();
  const given: unknown = command.getOptionValueSource(name) === 'cli' ? command.getOptionValue(name) : undefined;
  if (row.kind === 'custom') return given;
  return typeof given === 'string' || given === undefined ? readSetting(row, given, environment) : given;
}

/** The value of the word after the flag, or else of the row's variable. Throws UnusableOption, which repeats no value. */
export function readSetting(row: Scalar, word: string | undefined, environment: Environment): unknown {
  const variable = row.environment ?? '';
  const found = word ?? environment[variable];
  if (found === undefined || (word === undefined && found === '')) return undefined;
  const value = readWord(row, found);
  if (value !== undefined) return value;
  const source = word === undefined ? variable : new Option(row.flag ?? '').long;
  throw new UnusableOption(`${source} must be ${describeFlag(row)}.`);
}
