import { createAnyAccounts, developmentAccount, parseAccounts } from '../auth/accounts.ts';
import { readKeyFile } from '../auth/key-file.ts';
import type { AccountKeys } from '../model/account-keys.ts';
import { accessRows } from '../settings/access-settings.ts';
import { namesOf } from '../settings/setting-names.ts';
import type { Environment } from './command-context.ts';
import { UnusableOption } from './exit-codes.ts';
import { describeOrigin, type Given } from './given-settings.ts';
import { readFileOrRefuse } from './read-file.ts';

/** The flag `--accounts` and its help. `what` is looked for in the same place where the emulator looks. */
export const accountsFlag = (what: string): readonly [string, string] => [
  '--accounts <any|file>',
  `find ${what} where the emulator finds it (default: in AZURITE_ACCOUNTS)`,
];

/** The flag for a command that needs the key of one account. */
export const accountKeyFlag = accountsFlag("the account's key");

export interface AccountFlags {
  readonly account: string;
  readonly accounts?: string;
}

/** The first key of an account, in base64. Throws UnusableOption. */
export function readKey({ account: name, accounts }: AccountFlags, environment: Environment): string {
  const given = readAccounts(givenAccounts(accounts, environment));
  if (given.kind === 'any') return keyOfAny(name);
  const [key] = given.accounts.find((account) => account.name === name)?.keys ?? [];
  if (key !== undefined) return key;
  const names = given.accounts.map((account) => account.name).join(', ');
  throw new UnusableOption(
    `--account ${name} is unknown. Known accounts: ${names}. Give --accounts to look for the key elsewhere.`,
  );
}

function keyOfAny(name: string): string {
  checkAccountName(name);
  return developmentAccount.key;
}

/** Throws UnusableOption for a name that no account can have. */
export function checkAccountName(name: string): void {
  if (createAnyAccounts([developmentAccount.key]).keysOf(name)) return;
  throw new UnusableOption(
    `--account ${name} is not an account name. An account name has 3 to 24 lower-case letters and digits.`,
  );
}

/** The accounts that are given: every name, a list, or a file that holds a list. */
export type GivenAccounts =
  | { readonly kind: 'any' }
  | { readonly kind: 'list'; readonly accounts: readonly AccountKeys[] }
  | { readonly kind: 'file'; readonly file: string; readonly accounts: readonly AccountKeys[] };

/** Returns the development account if no accounts are given. Throws UnusableOption. */
export function readAccounts(given: Given | undefined): GivenAccounts {
  if (given === undefined) {
    return { kind: 'list', accounts: [{ name: developmentAccount.name, keys: [developmentAccount.key] }] };
  }
  const [text, place] = [String(given.value), describeOrigin(given.from)];
  const { from } = given;
  if (from.kind === 'variable' && from.name === accessRows.accounts.azuriteVariable)
    return { kind: 'list', accounts: parse(text, place) };
  if (text === 'any') return { kind: 'any' };
  return { kind: 'file', file: text, accounts: readAccountsFile(text, place) };
}

/** The value of the flag --accounts or, without the flag, of a variable. */
export function givenAccounts(word: string | undefined, environment: Environment): Given | undefined {
  const { flag, variable } = namesOf(accessRows.accounts.flag);
  if (word !== undefined) return { value: word, from: { kind: 'flag', name: flag } };
  const name = [variable, accessRows.accounts.azuriteVariable].find((variable) => environment[variable]?.trim());
  return name === undefined ? undefined : { value: environment[name], from: { kind: 'variable', name } };
}

function readAccountsFile(file: string, place: string): readonly AccountKeys[] {
  const source = `${place} ${file}`;
  return parse(
    readFileOrRefuse(source, () => readKeyFile(file).toString()),
    source,
  );
}

function parse(text: string, source: string): readonly AccountKeys[] {
  try {
    return parseAccounts(text);
  } catch (error) {
    throw new UnusableOption(`${source} ${error instanceof Error ? error.message : String(error)}.`);
  }
}
