import { createAnyAccounts, developmentAccount, parseAccounts } from '../auth/accounts.ts';
import { readKeyFile } from '../auth/key-file.ts';
import type { AccountKeys } from '../model/account-keys.ts';
import type { Environment } from './command-context.ts';
import { UnusableOption } from './exit-codes.ts';

export const accountsFlag = [
  '--accounts <any|file>',
  'find its key as the emulator does (default: in AZURITE_ACCOUNTS)',
] as const;

export interface AccountFlags {
  readonly account: string;
  readonly accounts?: string;
}

/** The first key of an account, in base64. Throws UnusableOption. */
export function readKey({ account: name, accounts }: AccountFlags, environment: Environment): string {
  if (accounts === 'any') return keyOfAny(name);
  const list = accounts === undefined ? readAccounts(environment) : readAccountsFile(accounts);
  const [key] = list.find((account) => account.name === name)?.keys ?? [];
  if (key !== undefined) return key;
  const names = list.map((account) => account.name).join(', ');
  throw new UnusableOption(`--account ${name}: there is only ${names}. Give --accounts to look for its key elsewhere.`);
}

function keyOfAny(name: string): string {
  const { key } = developmentAccount;
  if (createAnyAccounts([key]).keysOf(name)) return key;
  throw new UnusableOption(`--account ${name} is not an account name: 3 to 24 lower-case letters and digits.`);
}

/** The accounts of AZURITE_ACCOUNTS, or else the development account. Throws UnusableOption. */
export function readAccounts(environment: Environment): readonly AccountKeys[] {
  const text = environment['AZURITE_ACCOUNTS'];
  if (text === undefined || text.trim() === '') {
    return [{ name: developmentAccount.name, keys: [developmentAccount.key] }];
  }
  return parse(text, 'AZURITE_ACCOUNTS');
}

/** The accounts in a file, in the same form. Throws UnusableOption. */
export function readAccountsFile(file: string): readonly AccountKeys[] {
  return parse(readFile('--accounts', file).toString(), `--accounts ${file}`);
}

/** The content of the file that a flag names. Throws UnusableOption. */
export function readFile(flag: string, file: string): Buffer {
  try {
    return readKeyFile(file);
  } catch (error) {
    throw new UnusableOption(`${flag} ${file} cannot be read: ${error instanceof Error ? error.message : error}.`);
  }
}

function parse(text: string, source: string): readonly AccountKeys[] {
  try {
    return parseAccounts(text);
  } catch (error) {
    throw new UnusableOption(`${source} ${error instanceof Error ? error.message : String(error)}.`);
  }
}
