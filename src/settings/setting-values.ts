// The values that a setting accepts: described for messages, checked for the library, and read from flags and variables.

import type { PositiveNumber, Scalar, WholeNumber } from './setting.ts';

type NumberSetting = WholeNumber | PositiveNumber;
type Value = string | number | boolean;

const notEmpty = { regex: /./s, expected: 'a string that is not empty' };

/** What the library's option must be, for a message: the words after "must be". */
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

/** What the value of the flag must be, for a message: the words after "must be". */
export function describeFlag(row: Scalar): string {
  if (row.kind === 'whole number') {
    const unit = flagUnitOf(row);
    return `a whole number from ${row.min / unit} to ${row.max / unit}`;
  }
  if (row.kind !== 'positive number') return describeOption(row);
  if (row.isWholeAsFlag) return `a whole number from 1 to ${row.max}`;
  return `a number above 0 and at most ${row.max / flagUnitOf(row)}`;
}

/** Whether a value, which in JavaScript can be of any type, fits the library's option. */
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

/** Reads the text of a flag or variable as a value in the unit of the setting; undefined if it does not fit. */
export function readWord(row: Scalar, word: string): Value | undefined {
  const value = parseWord(row, word);
  return isOptionValue(row, value) ? value : undefined;
}

/** The default as one would write it after the flag; undefined if there is none. */
export function defaultWord(row: Scalar): string | undefined {
  if (row.kind === 'switch') return undefined;
  if (row.kind === 'text') return row.flagDefault ?? row.default;
  if (row.kind === 'choice') return row.default;
  return row.default === undefined ? undefined : String(row.default / flagUnitOf(row));
}

const wholePattern = /^\d{1,9}$/;
/** The digits before the point may be missing: `.5` */
const decimalPattern = /^(?:\d{1,9}(?:\.\d{1,9})?|\.\d{1,9})$/;

function parseWord(row: Scalar, word: string): Value | undefined {
  switch (row.kind) {
    case 'switch':
      return word === 'true';
    case 'whole number':
    case 'positive number': {
      const pattern = row.kind === 'whole number' || row.isWholeAsFlag ? wholePattern : decimalPattern;
      return pattern.test(word) ? Number(word) * flagUnitOf(row) : undefined;
    }
    default:
      return word;
  }
}

/** What a flag value of 1 is in the unit of the setting. */
const flagUnitOf = ({ unit }: NumberSetting): number => (unit === 'ms' ? 1000 : 1);

const isBetween = (value: unknown, min: number, max: number): boolean =>
  typeof value === 'number' && value >= min && value <= max;
