// Writes the entities of a file: as a whole table in place of another, through a load of the control plane, or into a table that
// stays, by transactions.

import { ApiError, api } from '../../client/api.ts';
import { ServiceError } from '../../client/data-plane.ts';
import { entityJson, fileEntityOf, parseJson } from '../../client/edm.ts';
import {
  createTable,
  getTablePolicies,
  runTransaction,
  type TransactionPart,
  transactionPartsMax,
} from '../../client/table-client.ts';
import { FileFault, type FileFormat, linesOf } from './file-lines.ts';

export type ImportMode = 'replace' | 'add';

export interface ImportOrder {
  readonly account: string;
  readonly table: string;
  readonly file: Blob;
  readonly format: FileFormat;
  readonly mode: ImportMode;
  /** Gets how many entities were sent so far. */
  readonly onProgress: (entities: number) => void;
  readonly signal: AbortSignal;
}

/** Resolves with how many entities were written. */
export function importEntities(order: ImportOrder): Promise<number> {
  return order.mode === 'replace' ? load(order) : add(order);
}

/** Characters of a request of a load; one line may be a MiB more. */
const loadCharsMax = 2 * 1_048_576;

async function load({ account, table, file, format, onProgress, signal }: ImportOrder): Promise<number> {
  const { load: id } = await api<{ readonly load: string }>('seed', { method: 'POST', body: { account } });
  const path = `seed/${id}/tables/${encodeURIComponent(table)}`;
  const headers = { 'Content-Type': 'application/x-ndjson' };
  try {
    await api(path, { method: 'PUT', body: { signedIdentifiers: await policiesOf(account, table) } });
    let count = 0;
    for await (const lines of inParts(linesOf(file, format))) {
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

/** Those of the table that is replaced, if there is one: they stay. */
async function policiesOf(account: string, table: string): Promise<readonly object[]> {
  try {
    return await getTablePolicies(account, table);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return [];
    throw error;
  }
}

async function* inParts(pieces: AsyncIterable<readonly string[]>): AsyncGenerator<readonly string[]> {
  let [part, chars]: [string[], number] = [[], 0];
  for await (const lines of pieces) {
    for (const line of lines) {
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

/** Entities that wait for others of their partition, at most. */
const waitingMax = 2_000;
/** Limit: a body of 4 MiB, of which the heads of the parts take some. */
const transactionCharsMax = 1_500_000;

async function add({ account, table, file, format, onProgress, signal }: ImportOrder): Promise<number> {
  await createTable(account, table).catch(ignoreExisting);
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
  for await (const lines of linesOf(file, format)) {
    for (const line of lines) {
      signal.throwIfAborted();
      const part = partOf(line);
      const partition = part.key.partitionKey;
      const group = waiting.get(partition) ?? { parts: [], chars: 0 };
      const isTwice = group.parts.some(({ key }) => key?.rowKey === part.key.rowKey);
      if (isTwice || group.chars + part.body.length > transactionCharsMax) await send(partition);
      const open = waiting.get(partition) ?? { parts: [], chars: 0 };
      waiting.set(partition, open);
      open.parts.push(part);
      open.chars += part.body.length;
      waitingCount += 1;
      if (open.parts.length >= transactionPartsMax) await send(partition);
      if (waitingCount > waitingMax) for (const name of [...waiting.keys()]) await send(name);
    }
  }
  for (const name of [...waiting.keys()]) await send(name);
  return count;
}

/** An upsert that replaces. */
function partOf(line: string): Required<Pick<TransactionPart, 'method' | 'key' | 'body'>> {
  try {
    const entity = fileEntityOf(parseJson(line) as Record<string, unknown>);
    return { method: 'PUT', key: entity, body: entityJson(entity) };
  } catch (error) {
    throw new FileFault(`${line.slice(0, 60)}… is no entity: ${(error as Error).message}`);
  }
}

function ignoreExisting(error: unknown): void {
  if (!(error instanceof ServiceError && error.code === 'TableAlreadyExists')) throw error;
}
