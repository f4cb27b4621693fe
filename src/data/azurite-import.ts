// Imports the tables of Azurite.

import { attemptEntity, keysText, policiesOf } from './azurite-entity.ts';
import { type AzuriteTable, readAzuriteFile } from './azurite-file.ts';
import type { FileEntity } from './file-entity.ts';
import { batchCharsMax, batchEntitiesMax, type SeededTable, type SeedTarget } from './seed.ts';

export interface AzuriteImport {
  /** Opens the target for the tables of an account. */
  readonly open: (account: string) => Promise<SeedTarget>;
  readonly signal?: AbortSignal;
  readonly onProgress?: (entities: number, total: number) => void;
}

export interface ImportedAzurite {
  /** The file that was read. */
  readonly path: string;
  readonly accounts: readonly { readonly account: string; readonly tables: readonly SeededTable[] }[];
  /** Tables and entities that the service would refuse, each with the reason. */
  readonly leftOut: readonly string[];
}

/**
 * Imports everything, one account after another. `given` is the path of the file or of its folder. Throws FileFault,
 * and any error of a target. If the file is faulty or an account cannot be opened, throws before the first account is
 * changed.
 */
export async function importAzurite(given: string, options: AzuriteImport): Promise<ImportedAzurite> {
  const { path, accounts, leftOut } = await readAzuriteFile(given);
  // Opens each target once as a test, and closes it again. A target that stays open might expire while other accounts
  // are imported, and the number of open targets is limited.
  if (accounts.size > 1) for (const account of accounts.keys()) await (await options.open(account)).abandon();
  const run = new ImportRun(options, { accounts, leftOut: [...leftOut] });
  const imported: { account: string; tables: SeededTable[] }[] = [];
  for (const [account, tables] of accounts) {
    imported.push({ account, tables: await run.importAccount(account, tables) });
  }
  return { path, accounts: imported, leftOut: run.leftOut };
}

interface Work {
  readonly accounts: ReadonlyMap<string, readonly AzuriteTable[]>;
  readonly leftOut: string[];
}

class ImportRun {
  readonly leftOut: string[];
  readonly #options: AzuriteImport;
  readonly #total: number;
  #done = 0;

  constructor(options: AzuriteImport, { accounts, leftOut }: Work) {
    this.#options = options;
    this.leftOut = leftOut;
    this.#total = [...accounts.values()].flat().reduce((sum, { documents }) => sum + documents.length, 0);
  }

  async importAccount(account: string, tables: readonly AzuriteTable[]): Promise<SeededTable[]> {
    const target = await this.#options.open(account);
    const imported: SeededTable[] = [];
    try {
      for (const table of tables) {
        const place = `account ${account}, table ${table.name}`;
        imported.push(await this.#importTable(table, { target, refuse: (reason) => this.#leaveOut(place, reason) }));
      }
      this.#options.signal?.throwIfAborted();
      await target.finish();
      return imported;
    } catch (error) {
      await target.abandon().catch(() => undefined);
      throw error;
    }
  }

  #leaveOut(place: string, reason: string): void {
    this.leftOut.push(`${place}: ${reason}`);
  }

  async #importTable({ name, acl, documents }: AzuriteTable, { target, refuse }: TableTarget): Promise<SeededTable> {
    const policies = policiesOf(acl, (reason) => refuse(`the access policies: ${reason}`));
    await target.addTable(name, policies);
    let entities = 0;
    for (const { batch, read } of batchesOf(documents, refuse)) {
      this.#options.signal?.throwIfAborted();
      for (let rest = batch; rest.length > 0; ) {
        const at = (await target.addEntities(name, rest)) ?? rest.length;
        entities += at;
        const twice = rest[at];
        if (twice) refuse(`${keysText({ PartitionKey: twice.partitionKey, RowKey: twice.rowKey })}: occurs twice`);
        rest = rest.slice(at + 1);
      }
      this.#done += read;
      this.#options.onProgress?.(this.#done, this.#total);
    }
    return { name, entities };
  }
}

interface TableTarget {
  readonly target: SeedTarget;
  readonly refuse: (reason: string) => void;
}

interface DocumentBatch {
  readonly batch: readonly FileEntity[];
  /** Number of documents read since the last batch, including those left out. */
  readonly read: number;
}

function* batchesOf(documents: readonly unknown[], refuse: (reason: string) => void): Generator<DocumentBatch> {
  let [batch, chars, read] = [[] as FileEntity[], 0, 0];
  for (const document of documents) {
    read += 1;
    const entity = attemptEntity(document);
    if (typeof entity === 'string') refuse(`${keysText(document)}: ${entity}`);
    else {
      batch.push(entity);
      chars += entity.properties.length;
    }
    if (read < batchEntitiesMax && chars < batchCharsMax) continue;
    yield { batch, read };
    [batch, chars, read] = [[], 0, 0];
  }
  yield { batch, read };
}
