import { freshAccountName } from '../auth/accounts.ts';
import { keyConnectionString } from '../auth/connection-string.ts';

/** An account, in the forms that clients ask for. */
export interface EmulatorAccount {
  readonly name: string;
  /** Base64. */
  readonly key: string;
  /** As the Azure SDKs take it. */
  readonly connectionString: string;
  /** Address of its tables, e.g. `http://127.0.0.1:49152/devstoreaccount1`. */
  readonly url: string;
}

/** The account of an emulator at an address without an account. */
export function accountAt(origin: string, { name, key }: { name: string; key: string }): EmulatorAccount {
  const url = `${origin}/${name}`;
  return { name, key, url, connectionString: keyConnectionString({ name, key, url }) };
}

/**
 * An account that nobody has used, of an emulator elsewhere that takes any name (`--accounts any`, the global setup): the
 * given one's key and address under a new name. Throws TypeError for what is no connection string of an emulator.
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
