import { InvalidArgumentError } from 'commander';

export const dayInSeconds = 86_400;

/** Reads a whole number from 0 on. */
export const number =
  (name: string, max: number) =>
  (text: string): number => {
    if (!/^\d{1,9}$/.test(text) || Number(text) > max) throw new InvalidArgumentError(`A ${name} is 0 to ${max}.`);
    return Number(text);
  };

const countMax = 1_000_000;

/** Reads a whole number from 1 on. */
export const count =
  (name: string) =>
  (text: string): number => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
    if (value < 1 || value > countMax) throw new InvalidArgumentError(`A ${name} is 1 to ${countMax}.`);
    return value;
  };

/** Reads a number above 0: with a fraction, which may stand alone, or without. */
export const factor =
  (name: string, max: number) =>
  (text: string): number => {
    const value = /^(?:\d{1,9}(?:\.\d{1,9})?|\.\d{1,9})$/.test(text) ? Number(text) : 0;
    if (value <= 0 || value > max) throw new InvalidArgumentError(`A ${name} is more than 0 and at most ${max}.`);
    return value;
  };
