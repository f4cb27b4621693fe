import { readFileSync } from 'node:fs';
import type { AccountKeys } from '../auth/account-keys.ts';
import { developmentAccount, parseAccounts } from '../auth/accounts.ts';
import { readAccountsText } from '../auth/accounts-file.ts';
import type { Environment } from './environment.ts';
import { UnusableOption } from './unusable-option.ts';

/** The accounts of AZURITE_ACCOUNTS, or else the one every SDK knows. Throws UnusableOption. */
export function readAccounts(environment: Environment): readonly AccountKeys[] {
  const text = environment['AZURITE_ACCOUNTS'];
  if (text === undefined || text.trim() === '') {
    return [{ name: developmentAccount.name, keys: [developmentAccount.key] }];
  }
  return parse(text, 'AZURITE_ACCOUNTS');
}

/** The accounts in a file, in the same form. Throws UnusableOption. */
export function readAccountsFile(file: string): readonly AccountKeys[] {
  return parse(readWith(readAccountsText, '--accounts', file), `--accounts ${file}`);
}

/** What is in the file that a flag names. Throws UnusableOption. */
export function readFile(flag: string, file: string): Buffer {
  return readWith((name) => readFileSync(name), flag, file);
}

function readWith<Content>(read: (file: string) => Content, flag: string, file: string): Content {
  try {
    return read(file);
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
