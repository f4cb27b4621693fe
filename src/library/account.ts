import { freshAccountName } from '../auth/accounts.ts';
import { keyConnectionString } from '../auth/connection-string.ts';

/** An account, in the forms that clients need. */
export interface EmulatorAccount {
  readonly name: string;
  /** The account key, in base64. */
  readonly key: string;
  /** The connection string for the Azure SDKs. */
  readonly connectionString: string;
  /** Address of its tables, e.g. `http://127.0.0.1:49152/devstoreaccount1`. */
  readonly url: string;
}

/** An account of the emulator at an address such as `http://127.0.0.1:49152`. */
export function accountAt(origin: string, { name, key }: { name: string; key: string }): EmulatorAccount {
  const url = `${origin}/${name}`;
  return { name, key, url, connectionString: keyConnectionString({ name, key, url }) };
}

/**
 * Returns a new account with a unique name. The emulator runs elsewhere and must accept any account name. An emulator
 * does so with `--accounts any`, or if the global setup started it. The key and the address come from the account in
 * the connection string. Throws TypeError if the connection string lacks a key or a table endpoint in path style.
 */
export function freshAccount(connectionString: string | undefined): EmulatorAccount {
  const parts = new Map(
    (connectionString ?? '').split(';').map((part) => {
      const [name = '', ...rest] = part.split('=');
      return [name.trim(), rest.join('=')];
    }),
  );
  const [name, key, endpoint] = ['AccountName', 'AccountKey', 'TableEndpoint'].map((part) => parts.get(part));
  const url = endpoint?.replace(/\/$/, '');
  if (!name || !key || !url?.endsWith(`/${name}`)) {
    throw new TypeError('freshAccount: give a connection string with AccountName, AccountKey and TableEndpoint');
  }
  return accountAt(url.slice(0, -name.length - 1), { name: freshAccountName(), key });
}
