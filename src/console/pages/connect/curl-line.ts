import type { SignatureResponse } from '../../../control/identity/signature.ts';
import { endpointOf } from './connection-string.ts';

/**
 * Returns a curl command that the signature allows and that will succeed. If the signature allows reading, the command
 * reads. If it does not, the command creates or inserts something. Returns undefined if every allowed command needs an
 * entity or a table that may be missing. `tables` are the tables of the account.
 */
export function curlLine(made: SignatureResponse, tables: readonly string[]): string | undefined {
  const { account, table: signedTable, permissions, signature } = made;
  const table = signedTable ?? tables[0];
  const allows = (letter: string): boolean => permissions.includes(letter);
  const line = (path: string, options = '', query = ''): string =>
    `curl ${options}'${endpointOf(account)}${path}?${query}${signature}'`;
  const accept = "-H 'Accept: application/json' ";
  if (signedTable === null && allows('l')) return line('/Tables', accept);
  if (table !== undefined && allows('r')) return line(`/${table}()`, accept);
  // The commands below work on the service or on the list of tables. Only a signature of the account allows them.
  if (table !== undefined && allows('a')) return line(`/${table}`, `${accept}${post(newEntity())}`);
  if (signedTable !== null) return undefined;
  if (allows('r')) return line('/', '', 'restype=service&comp=properties&');
  return allows('c') ? line('/Tables', `${accept}${post({ TableName: newName('Table') })}`) : undefined;
}

const post = (body: object): string => `-H 'Content-Type: application/json' -d '${JSON.stringify(body)}' `;

const newEntity = (): object => ({ PartitionKey: 'curl', RowKey: newName('row') });

/** A name that no table or row has yet. */
const newName = (begin: string): string => `${begin}${Date.now().toString(36)}`;
