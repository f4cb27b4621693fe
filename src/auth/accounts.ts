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
  const byName = keysByName(list);
  return { names: () => byName.keys(), keysOf: (account) => byName.get(account) };
}

type KeysByName = ReadonlyMap<string, readonly KeyObject[]>;

function keysByName(list: readonly AccountKeys[]): KeysByName {
  return new Map(list.map(({ name, keys }) => [name, keys.map(decodeKey)]));
}

function decodeKey(key: string): KeyObject {
  return createSecretKey(Buffer.from(key, 'base64'));
}

/** Source: docs, Storage account overview. */
const anyAccountPattern = /^[a-z0-9]{3,24}$/;

/** Every name that the service allows is an account, all with the same one or two keys. `names` lists none of them. */
export function createAnyAccounts(keys: readonly string[]): Accounts {
  const decoded = keys.map(decodeKey);
  return { names: () => [], keysOf: (account) => (anyAccountPattern.test(account) ? decoded : undefined) };
}

/** An unused name: 24 characters with 80 random bits, so that processes need not coordinate. */
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

export interface ReloadingAccounts extends Accounts {
  /** Reads the accounts again; returns whether any was added, removed or got other keys. */
  reload(): boolean;
}

export interface ReloadingAccountsOptions {
  /** Returns the accounts. Returns undefined, or throws, when they cannot be read. */
  readonly read: () => readonly AccountKeys[] | undefined;
  /** Runs with the reason when a reload keeps the accounts as they were. */
  readonly onUnreadable?: (error: unknown) => void;
}

/** Accounts that can change at run time. Throws when they cannot be read the first time. */
export function createReloadingAccounts({ read, onUnreadable }: ReloadingAccountsOptions): ReloadingAccounts {
  let byName = keysByName(readSome(read));
  return {
    names: () => byName.keys(),
    keysOf: (account) => byName.get(account),
    reload() {
      try {
        const next = keysByName(readSome(read));
        if (isSame(byName, next)) return false;
        byName = next;
        return true;
      } catch (error) {
        onUnreadable?.(error);
        return false;
      }
    },
  };
}

function readSome(read: ReloadingAccountsOptions['read']): readonly AccountKeys[] {
  const list = read();
  if (!list || list.length === 0) throw new Error('names no account');
  return list;
}

function isSame(before: KeysByName, after: KeysByName): boolean {
  return before.size === after.size && [...before].every(([name, keys]) => hasKeys(after.get(name), keys));
}

function hasKeys(found: readonly KeyObject[] | undefined, keys: readonly KeyObject[]): boolean {
  return found?.length === keys.length && keys.every((key, index) => found[index]?.equals(key));
}

/** Wider than the names of the service. One with a hyphen, or longer than 24 characters, is reached in path style only. */
const accountPattern = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;
const accountNameWords = '3 to 63 lower-case letters, digits and hyphens, no hyphen at either end';
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
  // Not repeated in the message: after a wrong separator this may be a key.
  if (!accountPattern.test(name))
    throw new Error(`entry ${index + 1} begins with no account name: ${accountNameWords}`);
  // In an address this names the secondary of another account.
  if (name.endsWith('-secondary')) throw new Error(`account ${name} cannot be reached: no name ends in -secondary`);
  if (keys.length < 1 || keys.length > 2) throw new Error(`account ${name} needs one or two keys`);
  if (!keys.every((key) => keyPattern.test(key))) throw new Error(`a key of account ${name} is not base64`);
  return { name, keys };
}
