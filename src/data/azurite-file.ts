// The tables in `__azurite_db_table__.json`, where Azurite keeps them (LokiJS).
// Evidence: peers (Azurite 3.35: a collection of tables, and one of entities for each, named account$table).

import { statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeSignedIdentifiers } from '../model/access-policy.ts';
import type { EdmValue } from '../model/edm.ts';
import { edmFromJson } from '../model/edm-json.ts';
import type { JsonScalar } from '../model/json-text.ts';
import { quote } from '../model/printable-text.ts';
import { isTableName } from '../model/table-name.ts';
import { parseDateTime, type Ticks } from '../model/ticks.ts';
import { EntityFault, type FileEntity, judgeEntity, valueFault } from './file-entity.ts';
import { FileFault } from './file-fault.ts';
import type { SeededTable, SeedTarget } from './seed.ts';
import { readSignedIdentifiers } from './table-files.ts';

export interface AzuriteImport {
  /** Opens what the tables of an account are filled in. */
  readonly open: (account: string) => Promise<SeedTarget>;
  readonly signal?: AbortSignal;
  readonly onProgress?: (entities: number, total: number) => void;
}

export interface ImportedAzurite {
  /** The file that was read. */
  readonly path: string;
  readonly accounts: readonly { readonly account: string; readonly tables: readonly SeededTable[] }[];
  /** What the service would refuse, each with the reason. */
  readonly leftOut: readonly string[];
}

/** The whole file is one text, and no text of the engine is longer. */
const fileBytesMax = 500 * 1_048_576;
const batchEntitiesMax = 100;

/**
 * Takes over everything, account after account at the end: throws FileFault, before the first, and what a target throws.
 * `given`: the file, or its folder.
 */
export async function importAzurite(given: string, options: AzuriteImport): Promise<ImportedAzurite> {
  const path = fileAt(given);
  const collections = await readCollections(path);
  const tables = tablesIn(collections, path);
  const total = tables.reduce((sum, { documents }) => sum + documents.length, 0);
  const targets = new Map<string, SeedTarget>();
  const imported = new Map<string, SeededTable[]>();
  const leftOut: string[] = [];
  let done = 0;
  try {
    for (const table of tables) {
      const target = targets.get(table.account) ?? (await options.open(table.account));
      targets.set(table.account, target);
      const list = imported.get(table.account) ?? [];
      imported.set(table.account, list);
      const note = (count: number): void => {
        done += count;
        options.onProgress?.(done, total);
      };
      const seeded = await importTable(table, target, { leftOut, note, signal: options.signal });
      if (seeded) list.push(seeded);
    }
    options.signal?.throwIfAborted();
    for (const target of targets.values()) await target.finish();
  } catch (error) {
    for (const target of targets.values()) await target.abandon().catch(() => undefined);
    throw error;
  }
  return { path, accounts: [...imported].map(([account, tables]) => ({ account, tables })), leftOut };
}

const fileName = '__azurite_db_table__.json';

function fileAt(path: string): string {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? join(path, fileName) : path;
}

interface Members {
  readonly [name: string]: unknown;
}

interface AzuriteTable {
  readonly account: string;
  readonly name: string;
  readonly acl: unknown;
  readonly documents: readonly unknown[];
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The documents of each collection by its name. */
async function readCollections(path: string): Promise<ReadonlyMap<string, readonly unknown[]>> {
  let database: unknown;
  try {
    const { size } = await stat(path);
    if (size > fileBytesMax) throw new Error(`it is larger than ${fileBytesMax / 1_048_576} MiB`);
    database = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new FileFault(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const collections = isObject(database) ? database['collections'] : undefined;
  if (!Array.isArray(collections)) throw new FileFault(`${path} is not a file of Azurite's tables`);
  return new Map(
    collections
      .filter(isObject)
      .map(({ name, data }) => [String(name), Array.isArray(data) ? (data as unknown[]) : []] as const),
  );
}

function tablesIn(collections: ReadonlyMap<string, readonly unknown[]>, path: string): AzuriteTable[] {
  const tables = collections.get('$TABLES_COLLECTION$');
  if (!tables) throw new FileFault(`${path} is not a file of Azurite's tables`);
  return tables.filter(isObject).map(({ account, table, tableAcl }) => ({
    account: String(account),
    name: String(table),
    acl: tableAcl,
    documents: collections.get(`${String(account)}$${String(table)}`) ?? [],
  }));
}

interface TableImport {
  readonly leftOut: string[];
  readonly note: (count: number) => void;
  readonly signal: AbortSignal | undefined;
}

/** Undefined for a table that is left out. */
async function importTable(
  table: AzuriteTable,
  target: SeedTarget,
  { leftOut, note, signal }: TableImport,
): Promise<SeededTable | undefined> {
  const { name } = table;
  const place = `account ${table.account}, table ${name}`;
  if (!isTableName(name)) {
    leftOut.push(`${place}: no table can have this name`);
    return undefined;
  }
  await target.addTable(
    name,
    policiesOf(table.acl, (reason) => leftOut.push(`${place}: the access policies: ${reason}`)),
  );
  let entities = 0;
  for (let start = 0; start < table.documents.length; start += batchEntitiesMax) {
    signal?.throwIfAborted();
    const documents = table.documents.slice(start, start + batchEntitiesMax);
    let batch = documents.flatMap((document) => {
      const entity = attemptEntity(document);
      if (typeof entity !== 'string') return [entity];
      leftOut.push(`${place}: ${keysText(document)}: ${entity}`);
      return [];
    });
    for (let at = 0; batch.length > 0; batch = batch.slice(at + 1)) {
      at = (await target.addEntities(name, batch)) ?? batch.length;
      entities += at;
      const twice = batch[at];
      if (!twice) break;
      leftOut.push(`${place}: ${keysText({ PartitionKey: twice.partitionKey, RowKey: twice.rowKey })}: occurs twice`);
    }
    note(documents.length);
  }
  return { name, entities };
}

function policiesOf(acl: unknown, refuse: (reason: string) => void): string | undefined {
  if (!Array.isArray(acl) || acl.length === 0) return undefined;
  const policies = readSignedIdentifiers(
    acl.map((one: unknown) => {
      const { id, accessPolicy } = isObject(one) ? one : {};
      // Azurite keeps members without a value as empty texts.
      const members = Object.entries(isObject(accessPolicy) ? accessPolicy : {}).filter(([, value]) => value);
      return { id, ...Object.fromEntries(members) };
    }),
  );
  if (typeof policies !== 'string') return encodeSignedIdentifiers(policies);
  refuse(policies);
  return undefined;
}

function keysText(document: unknown): string {
  const { PartitionKey, RowKey } = isObject(document) ? document : {};
  return `PartitionKey ${quote(String(PartitionKey))} and RowKey ${quote(String(RowKey))}`;
}

/** The reason where the service would refuse it. */
function attemptEntity(document: unknown): FileEntity | string {
  try {
    return entityOf(document);
  } catch (error) {
    if (error instanceof EntityFault) return error.message;
    throw error;
  }
}

const annotationSuffix = '@odata.type';

function entityOf(document: unknown): FileEntity {
  const { properties, PartitionKey, RowKey, eTag, lastModifiedTime } = isObject(document) ? document : {};
  if (!isObject(properties)) throw new EntityFault('has no properties');
  const row = new Map<string, EdmValue>();
  for (const [name, key] of Object.entries({ PartitionKey, RowKey })) {
    if (typeof key === 'string') row.set(name, { type: 'Edm.String', value: key });
  }
  for (const [name, value] of Object.entries(properties)) {
    if (row.has(name) || name === 'Timestamp' || /[.@]/.test(name) || value === null) continue;
    const type = properties[name + annotationSuffix];
    row.set(name, edmOf(name, typeof type === 'string' ? type : undefined, value));
  }
  const ticks = ticksOf(eTag) ?? (typeof lastModifiedTime === 'string' ? parseDateTime(lastModifiedTime) : undefined);
  return { ...judgeEntity(row), ...(ticks === undefined ? {} : { ticks }) };
}

function edmOf(name: string, type: string | undefined, value: unknown): EdmValue {
  const scalar = scalarOf(value);
  const edm = scalar && (edmFromJson(type, scalar) ?? guidFromBase64(type, scalar));
  if (edm) return edm;
  throw valueFault(name, type, typeof value === 'string' ? value : JSON.stringify(value));
}

function scalarOf(value: unknown): JsonScalar | undefined {
  if (typeof value === 'string') return { kind: 'string', text: value };
  if (typeof value === 'number') return { kind: 'number', text: String(value) };
  return typeof value === 'boolean' ? { kind: value ? 'true' : 'false' } : undefined;
}

/** Azurite keeps a GUID as the base64 of its text. Evidence: peers (Azurite 3.35). */
function guidFromBase64(type: string | undefined, scalar: JsonScalar): EdmValue | undefined {
  if (type !== 'Edm.Guid' || scalar.kind !== 'string') return undefined;
  return (
    edmFromJson(type, { kind: 'string', text: Buffer.from(scalar.text, 'base64').toString('latin1') }) ?? undefined
  );
}

/** The moment of an ETag of the service's form. */
function ticksOf(etag: unknown): Ticks | undefined {
  const [, encoded] = typeof etag === 'string' ? (/^W\/"datetime'([^']+)'"$/.exec(etag) ?? []) : [];
  return encoded === undefined ? undefined : parseDateTime(encoded.replaceAll(/%3A/gi, ':'));
}
