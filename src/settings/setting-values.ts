// The values that a setting accepts. The functions describe them for messages, check them for the library, and read
// them from flags and variables.

import type { PositiveNumber, Scalar, WholeNumber } from './setting.ts';

type NumberSetting = WholeNumber | PositiveNumber;
type Value = string | number | boolean;

const notEmpty = { regex: /./s, expected: 'a string that is not empty' };

/** The end of the message "… must be …" about an option of the library. */
export function describeOption(row: Scalar): string {
  switch (row.kind) {
    case 'switch':
      return 'true or false';
    case 'whole number':
      return `a whole number from ${row.min} to ${row.max}`;
    case 'positive number':
      return `a number above 0 and at most ${row.max}`;
    case 'choice':
      return `one of ${Object.keys(row.choices).join(', ')}`;
    case 'text':
      return (row.pattern ?? notEmpty).expected;
  }
}

/** The end of the message "… must be …" about the value of a flag. */
export function describeFlag(row: Scalar): string {
  if (row.kind !== 'whole number' && row.kind !== 'positive number') return describeOption(row);
  const { min, max } = flagBounds(row);
  if (row.kind === 'whole number') return `a whole number from ${min} to ${max}`;
  return row.isWholeAsFlag ? `a whole number from 1 to ${max}` : `a number above 0 and at most ${max}`;
}

/** Whether a value fits the library's option. JavaScript programs can pass a value of any type. */
export function isOptionValue(row: Scalar, value: unknown): boolean {
  switch (row.kind) {
    case 'switch':
      return typeof value === 'boolean';
    case 'whole number':
      return Number.isInteger(value) && isBetween(value, row.min, row.max);
    case 'positive number':
      return isBetween(value, 0, row.max) && value !== 0;
    case 'choice':
      return typeof value === 'string' && Object.hasOwn(row.choices, value);
    case 'text':
      return typeof value === 'string' && (row.pattern ?? notEmpty).regex.test(value);
  }
}

/**
 * Reads the text of a flag or variable as a value in the unit of the setting. Returns undefined if the text does not
 * fit.
 */
export function readWord(row: Scalar, word: string): Value | undefined {
  const value = parseWord(row, word);
  return isOptionValue(row, value) ? value : undefined;
}

/**
 * Reads a value of the settings file. The value is in the unit of the flag. Returns undefined if the value does not
 * fit.
 */
export function readMember(row: Scalar, value: unknown): Value | undefined {
  const isNumber = row.kind === 'whole number' || row.kind === 'positive number';
  const type = isNumber ? 'number' : row.kind === 'switch' ? 'boolean' : 'string';
  return typeof value === type ? readWord(row, String(value)) : undefined;
}

/** The bounds of a number in the units of the flag. */
export function flagBounds(row: NumberSetting): { readonly min: number; readonly max: number } {
  const unit = flagUnitOf(row);
  return { min: row.kind === 'whole number' ? row.min / unit : 0, max: row.max / unit };
}

/** A value as written after the flag. */
export function wordOf(row: Scalar, value: Value): string {
  const isNumber = row.kind === 'whole number' || row.kind === 'positive number';
  return isNumber && typeof value === 'number' ? String(value / flagUnitOf(row)) : String(value);
}

/** The default as written after the flag; undefined if there is none. */
export function defaultWord(row: Scalar): string | undefined {
  if (row.kind === 'switch') return undefined;
  if (row.kind === 'text') return row.flagDefault ?? row.default;
  if (row.kind === 'choice') return row.default;
  return row.default === undefined ? undefined : wordOf(row, row.default);
}

const wholePattern = /^\d{1,9}$/;
/** The digits before the point may be missing, as in `.5`. */
const decimalPattern = /^(?:\d{1,9}(?:\.\d{1,9})?|\.\d{1,9})$/;

function parseWord(row: Scalar, word: string): Value | undefined {
  switch (row.kind) {
    case 'switch':
      return word === 'true' || word === 'false' ? word === 'true' : undefined;
    case 'whole number':
    case 'positive number': {
      const pattern = row.kind === 'whole number' || row.isWholeAsFlag ? wholePattern : decimalPattern;
      return pattern.test(word) ? Number(word) * flagUnitOf(row) : undefined;
    }
    default:
      return word;
  }
}

/** The factor from the unit of the flag to the unit of the setting. */
const flagUnitOf = ({ unit }: NumberSetting): number => (unit === 'ms' ? 1000 : 1);

const isBetween = (value: unknown, min: number, max: number): boolean =>
  typeof value === 'number' && value >= min && value <= max;
