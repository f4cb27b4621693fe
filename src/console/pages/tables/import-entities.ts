// Writes the entities of a file to a table. Either a load through the control plane replaces the table, or transactions
// add the entities to the table.

import { type FileEntity, fileLine } from '../../../data/file-entity.ts';
import type { FileFormat } from '../../../data/file-names.ts';
import { ServiceRefusal } from '../../../data/table-client.ts';
import { changesetOperationsMax } from '../../../model/limits.ts';
import { ApiError, api } from '../../client/api.ts';
import { tableClient } from '../../client/data-plane.ts';
import { getTablePolicies, runTransaction, type TransactionPart } from '../../client/table-client.ts';
import { entitiesOf } from './file-entities.ts';

export type ImportMode = 'replace' | 'add';

export interface ImportOrder {
  readonly account: string;
  readonly table: string;
  readonly file: Blob;
  readonly format: FileFormat;
  readonly mode: ImportMode;
  /** Called with the number of entities sent so far. */
  readonly onProgress: (entities: number) => void;
  readonly signal: AbortSignal;
}

/** Resolves with the number of written entities. */
export function importEntities(order: ImportOrder): Promise<number> {
  return order.mode === 'replace' ? load(order) : add(order);
}

/** Maximum number of characters in one request of a load. The last line may exceed it by a MiB. */
const loadCharsMax = 2 * 1_048_576;

async function load({ account, table, file, format, onProgress, signal }: ImportOrder): Promise<number> {
  const { load: id } = await api<{ readonly load: string }>('seed', { method: 'POST', body: { account } });
  const path = `seed/${id}/tables/${encodeURIComponent(table)}`;
  const headers = { 'Content-Type': 'application/x-ndjson' };
  try {
    await api(path, { method: 'PUT', body: { signedIdentifiers: await policiesOf(account, table) } });
    let count = 0;
    for await (const lines of inParts(entitiesOf(file, format))) {
      signal.throwIfAborted();
      await api(path, { method: 'POST', body: `${lines.join('\n')}\n`, headers });
      count += lines.length;
      onProgress(count);
    }
    await api(`seed/${id}/finish`, { method: 'POST' });
    return count;
  } catch (error) {
    await api(`seed/${id}`, { method: 'DELETE' }).catch(() => undefined);
    throw error;
  }
}

/** The policies of the table that is replaced. They stay. A table that does not exist has none. */
async function policiesOf(account: string, table: string): Promise<readonly object[]> {
  try {
    return await getTablePolicies(account, table);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return [];
    throw error;
  }
}

async function* inParts(pieces: AsyncIterable<readonly FileEntity[]>): AsyncGenerator<readonly string[]> {
  let [part, chars]: [string[], number] = [[], 0];
  for await (const entities of pieces) {
    for (const line of entities.map(fileLine)) {
      if (chars + line.length > loadCharsMax && part.length > 0) {
        yield part;
        [part, chars] = [[], 0];
      }
      part.push(line);
      chars += line.length;
    }
  }
  if (part.length > 0) yield part;
}

/** Maximum number of entities that wait for others of their partition. */
const waitingMax = 2_000;
/** Limit: a body of 4 MiB. The headers of the parts take some of it. */
const transactionCharsMax = 1_500_000;

async function add({ account, table, file, format, onProgress, signal }: ImportOrder): Promise<number> {
  await tableClient(account).createTable(table).catch(ignoreExisting);
  const waiting = new Map<string, { parts: TransactionPart[]; chars: number }>();
  let [count, waitingCount] = [0, 0];
  const send = async (partition: string): Promise<void> => {
    const parts = waiting.get(partition)?.parts ?? [];
    waiting.delete(partition);
    waitingCount -= parts.length;
    await runTransaction(account, table, parts);
    count += parts.length;
    onProgress(count);
  };
  for await (const entities of entitiesOf(file, format)) {
    for (const entity of entities) {
      signal.throwIfAborted();
      const part = partOf(entity);
      const partition = part.key.partitionKey;
      const group = waiting.get(partition) ?? { parts: [], chars: 0 };
      const isTwice = group.parts.some(({ key }) => key?.rowKey === part.key.rowKey);
      if (isTwice || group.chars + part.body.length > transactionCharsMax) await send(partition);
      const open = waiting.get(partition) ?? { parts: [], chars: 0 };
      waiting.set(partition, open);
      open.parts.push(part);
      open.chars += part.body.length;
      waitingCount += 1;
      if (open.parts.length >= changesetOperationsMax) await send(partition);
      if (waitingCount > waitingMax) for (const name of [...waiting.keys()]) await send(name);
    }
  }
  for (const name of [...waiting.keys()]) await send(name);
  return count;
}

/** An upsert that replaces. */
const partOf = ({ partitionKey, rowKey, properties }: FileEntity): Upsert => ({
  method: 'PUT',
  key: { partitionKey, rowKey },
  body: fileLine({ partitionKey, rowKey, properties }),
});

type Upsert = Required<Pick<TransactionPart, 'method' | 'key' | 'body'>>;

function ignoreExisting(error: unknown): void {
  if (!(error instanceof ServiceRefusal && error.code === 'TableAlreadyExists')) throw error;
}
