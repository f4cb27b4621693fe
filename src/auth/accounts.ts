import { createSecretKey, type KeyObject } from 'node:crypto';

/** The accounts of an emulator and their keys. Keys never leave this room but as what signs. */
export interface Accounts {
  names(): Iterable<string>;
  /** Both keys of the account, or undefined for one that does not exist. */
  keysOf(account: string): readonly KeyObject[] | undefined;
}

/** Source: docs, Use the Azurite emulator: the account every Azure SDK knows as development storage. */
export const developmentAccount = {
  name: 'devstoreaccount1',
  key: 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==',
} as const;

export interface AccountKeys {
  readonly name: string;
  /** One or two keys, base64. */
  readonly keys: readonly string[];
}

export function createAccounts(list: readonly AccountKeys[]): Accounts {
  const byName = new Map(
    list.map(({ name, keys }) => [name, keys.map((key) => createSecretKey(Buffer.from(key, 'base64')))]),
  );
  return { names: () => byName.keys(), keysOf: (account) => byName.get(account) };
}

const accountPattern = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;
const keyPattern = /^(?:[A-Za-z0-9+/]{4})+$|^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)$/;

/**
 * Reads `account1:key1[:key2];account2:key1…`, keys in base64; quotes around the whole are ignored.
 * Throws an Error that says which part is wrong and never repeats a key.
 */
export function parseAccounts(text: string): AccountKeys[] {
  const entries = text
    .trim()
    .replace(/^(["'])(.*)\1$/s, '$2')
    .split(';');
  const accounts = entries.filter((entry) => entry.trim() !== '').map(parseAccount);
  if (accounts.length === 0) throw new Error('names no account');
  const names = new Set(accounts.map(({ name }) => name));
  if (names.size < accounts.length) throw new Error('names an account twice');
  return accounts;
}

function parseAccount(entry: string, index: number): AccountKeys {
  const [name = '', ...keys] = entry.trim().split(':');
  // What stands there may be a key that a wrong separator cut off: it is not repeated.
  if (!accountPattern.test(name))
    throw new Error(`entry ${index + 1} begins with no account name (lower-case letters, digits, hyphens)`);
  if (keys.length < 1 || keys.length > 2) throw new Error(`account ${name} needs one or two keys`);
  if (!keys.every((key) => keyPattern.test(key))) throw new Error(`a key of account ${name} is not base64`);
  return { name, keys };
}
