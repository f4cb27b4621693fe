// The names that the tables of a recording have at the endpoint where the recording is repeated. All names begin with a
// prefix, so the tables that the endpoint already has do not change. Tables with the same name in different accounts
// get different names. After the data of a table was replaced, the table gets a new name.

import { isTableName, tableLookup } from '../model/table-name.ts';

const tableNameCharsMax = 63;

export interface TableNames {
  readonly prefix: string;
  /** The name at the endpoint. An invalid name stays as it is, because every server refuses it. */
  there(account: string, name: string): string;
  /** Replaces the other server's names in a text with the names of the recording. */
  recorded(account: string, text: string): string;
  /** Whether a table of the recording has a name at the endpoint. */
  isKnown(account: string, name: string): boolean;
  /** Whether a table at the endpoint is a table of this account. */
  isOf(account: string, there: string): boolean;
  /** Gives the tables of an account, or one of them, new names from now on. */
  renew(account: string, table: string | undefined): void;
}

/** `onNew` is called with each name before its first use. */
export function createTableNames(prefix: string, onNew: (there: string) => void): TableNames {
  /** Names at the endpoint, by account and then by lookup name. */
  const byAccount = new Map<string, Map<string, string>>();
  const originals = new Map<string, { readonly account: string; readonly name: string }>();
  const pattern = new RegExp(`${prefix}[A-Za-z0-9]*`, 'gi');
  const tablesOf = (account: string): Map<string, string> => {
    const tables = byAccount.get(account) ?? new Map<string, string>();
    byAccount.set(account, tables);
    return tables;
  };
  const unused = (name: string): string => {
    for (let attempt = 0; ; attempt++) {
      const tag = attempt === 0 ? '' : `x${attempt}x`;
      const there = `${prefix}${tag}${name.slice(0, tableNameCharsMax - prefix.length - tag.length)}`;
      if (!originals.has(tableLookup(there))) return there;
    }
  };
  return {
    prefix,
    there(account, name) {
      if (!isTableName(name)) return name;
      const tables = tablesOf(account);
      const lookup = tableLookup(name);
      const known = tables.get(lookup);
      if (known !== undefined) return withCaseOf(known, name);
      const there = unused(name);
      tables.set(lookup, there);
      originals.set(tableLookup(there), { account, name });
      onNew(there);
      return there;
    },
    recorded: (account, text) =>
      text.replace(pattern, (there) => {
        const original = originals.get(tableLookup(there));
        if (original?.account !== account) return there;
        // Keeps the upper and lower case that the server used.
        const end = there.slice(-original.name.length);
        return tableLookup(end) === tableLookup(original.name) ? end : original.name;
      }),
    isKnown: (account, name) => byAccount.get(account)?.has(tableLookup(name)) === true,
    isOf(account, there) {
      const lookup = tableLookup(there);
      const original = originals.get(lookup);
      if (original?.account !== account) return false;
      // A table whose data was replaced stays until the end, under a name that is not used any more.
      const current = byAccount.get(account)?.get(tableLookup(original.name));
      return current !== undefined && tableLookup(current) === lookup;
    },
    renew(account, table) {
      if (table === undefined) byAccount.delete(account);
      else byAccount.get(account)?.delete(tableLookup(table));
    },
  };
}

/** Gives a name the case of the recording, which may write the same name with different cases. */
const withCaseOf = (there: string, name: string): string =>
  tableLookup(there).endsWith(tableLookup(name)) ? there.slice(0, -name.length) + name : there;
