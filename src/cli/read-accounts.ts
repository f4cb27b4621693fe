import { readFileSync } from 'node:fs';
import { developmentAccount, parseAccounts } from '../auth/accounts.ts';
import { readAccountsText } from '../auth/accounts-file.ts';
import type { AccountKeys } from '../model/account-keys.ts';
import type { Environment } from './command-context.ts';
import { UnusableOption } from './exit-codes.ts';

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
  const source = `--accounts ${file}`;
  return parse(
    readOrRefuse(source, () => readAccountsText(file)),
    source,
  );
}

/** The content of the file that a flag names. Throws UnusableOption. */
export const readFile = (flag: string, file: string): Buffer =>
  readOrRefuse(`${flag} ${file}`, () => readFileSync(file));

function readOrRefuse<Content>(source: string, read: () => Content): Content {
  try {
    return read();
  } catch (error) {
    throw new UnusableOption(`${source} cannot be read: ${error instanceof Error ? error.message : error}.`);
  }
}

function parse(text: string, source: string): readonly AccountKeys[] {
  try {
    return parseAccounts(text);
  } catch (error) {
    throw new UnusableOption(`${source} ${error instanceof Error ? error.message : String(error)}.`);
  }
}
