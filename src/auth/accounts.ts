import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { AccountKeys } from '../model/account-keys.ts';

/** The accounts of an emulator and their keys. Keys leave this module only as objects that sign. */
export interface Accounts {
  names(): Iterable<string>;
  /** One or two keys of the account; undefined for an account that does not exist. */
  keysOf(account: string): readonly KeyObject[] | undefined;
}

/** The account that every Azure SDK knows as development storage. Source: docs, Use the Azurite emulator. */
export const developmentAccount = {
  name: 'devstoreaccount1',
  key: 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==',
} as const;

export function createAccounts(list: readonly AccountKeys[]): Accounts {
  const byName = new Map(list.map(({ name, keys }) => [name, keys.map(decodeKey)]));
  return { names: () => byName.keys(), keysOf: (account) => byName.get(account) };
}

function decodeKey(key: string): KeyObject {
  return createSecretKey(Buffer.from(key, 'base64'));
}

/** Source: docs, Storage account overview. */
const anyAccountPattern = /^[a-z0-9]{3,24}$/;

/**
 * Accepts every account name that Azure allows, and gives every account the same one or two keys. `names` returns an
 * empty list.
 */
export function createAnyAccounts(keys: readonly string[]): Accounts {
  const decoded = keys.map(decodeKey);
  return { names: () => [], keysOf: (account) => (anyAccountPattern.test(account) ? decoded : undefined) };
}

/** A name of 24 characters. With its 80 random bits, processes choose different names without coordination. */
export const freshAccountName = (): string => `test${randomBytes(10).toString('hex')}`;

export interface GrowingAccounts extends Accounts {
  /** Adds an account with an unused name and a new key. */
  add(): { readonly name: string; readonly key: string };
}

/** The given accounts, and those added at run time. */
export function createGrowingAccounts(accounts: Accounts): GrowingAccounts {
  const added = new Map<string, readonly KeyObject[]>();
  return {
    names: () => [...accounts.names(), ...added.keys()],
    keysOf: (account) => added.get(account) ?? accounts.keysOf(account),
    add() {
      // Limit: docs, Manage storage account access keys: 512 bits.
      const [name, key] = [freshAccountName(), randomBytes(64).toString('base64')];
      added.set(name, [decodeKey(key)]);
      return { name, key };
    },
  };
}

/**
 * Allows more names than Azure does. Names with a hyphen or with more than 24 characters work only in path-style
 * addresses.
 */
const accountPattern = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;
const accountNameWords = '3 to 63 lower-case letters, digits and hyphens, no hyphen at either end';
const keyPattern = /^(?:[A-Za-z0-9+/]{4})+$|^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)$/;

/**
 * Reads `account1:key1[:key2];account2:key1…`, with keys in base64. Ignores quotes around the text. Throws an Error
 * that says which part is wrong but never contains a key.
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
  // The message does not repeat the name: after a wrong separator it may be a key.
  if (!accountPattern.test(name))
    throw new Error(`entry ${index + 1} begins with no account name: ${accountNameWords}`);
  // In an address, such a name means the secondary of another account.
  if (name.endsWith('-secondary')) throw new Error(`account ${name} cannot be reached: no name ends in -secondary`);
  if (keys.length < 1 || keys.length > 2) throw new Error(`account ${name} needs one or two keys`);
  if (!keys.every((key) => keyPattern.test(key))) throw new Error(`a key of account ${name} is not base64`);
  return { name, keys };
}
