// The entities of a page as the transactions that write them.

import { quoteJson } from '../../model/json-text.ts';
import { bodyBytesMax, changesetOperationsMax } from '../../model/limits.ts';
import { escapeControls } from '../../model/printable-text.ts';
import { type EntityRow, entityJson } from '../entity-text.ts';
import { entityPath } from '../table-client.ts';
import { type Upsert, upsertBytes } from './transaction-body.ts';

export interface Transaction {
  readonly partitionKey: string;
  readonly upserts: readonly Upsert[];
}

/** The limit of a body, minus room for the lines around the parts. */
const transactionBytesMax = bodyBytesMax - 4_096;

/**
 * Groups the entities of a page into transactions. A page is in key order, so consecutive entities of one partition
 * share a transaction. `url` is the target's URL.
 */
export function pageTransactions(rows: readonly EntityRow[], table: string, url: string): readonly Transaction[] {
  const transactions: { partitionKey: string; upserts: Upsert[] }[] = [];
  let bytes = 0;
  for (const row of rows) {
    const key = { partitionKey: keyTextOf(row, 'PartitionKey'), rowKey: keyTextOf(row, 'RowKey') };
    const upsert = { key, path: entityPath(table, key), body: bodyOf(row) };
    const last = transactions.at(-1);
    const more = upsertBytes(upsert, url);
    const fits =
      last?.partitionKey === key.partitionKey &&
      last.upserts.length < changesetOperationsMax &&
      bytes + more <= transactionBytesMax;
    if (last && fits) {
      last.upserts.push(upsert);
      bytes += more;
    } else {
      transactions.push({ partitionKey: key.partitionKey, upserts: [upsert] });
      bytes = more;
    }
  }
  return transactions;
}

/**
 * Returns the body of a write. The body omits the Timestamp, because the service sets the Timestamp at each write. The
 * body states the type of a double such as `5.0`, because Azurite would otherwise read the double as an integer.
 */
function bodyOf(row: EntityRow): string {
  const properties = [...row].filter(([name]) => name !== 'Timestamp');
  const json = entityJson(new Map(properties));
  const types = properties
    .filter(([, { type, value }]) => type === 'Edm.Double' && Number.isInteger(value))
    .map(([name]) => `${quoteJson(`${name}@odata.type`)}:"Edm.Double",`);
  return `{${types.map(escapeControls).join('')}${json.slice(1)}`;
}

export function keyTextOf(row: EntityRow, name: 'PartitionKey' | 'RowKey'): string {
  const value = row.get(name);
  return value?.type === 'Edm.String' ? value.value : '';
}
