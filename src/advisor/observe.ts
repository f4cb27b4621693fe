// Turns the record of a request into an observation, which is the part of the request that the advisor keeps. The
// observer runs for each request after the response was sent, so the observer must be cheap. It looks up the client and
// the table, and measures only entities that may be large.

import { createHash } from 'node:crypto';
import { copyString } from '../model/copy-string.ts';
import type { EntityRecord } from '../model/entity.ts';
import { entityBytes } from '../model/entity-limits.ts';
import { hashText } from '../model/hash-text.ts';
import type { Mutation } from '../model/mutation.ts';
import { encodeProperties, type Properties } from '../model/properties.ts';
import { type BatchMember, isStaged, type RequestRecord } from '../model/request-record.ts';
import type { Plan } from '../query/plan.ts';
import { KnownEntities } from './known-entities.ts';
import type {
  Client,
  Condition,
  CountedRequest,
  Member,
  Observation,
  QueryTraits,
  ReadTraits,
  Table,
  WriteTraits,
} from './observation.ts';
import { Clients, countWrite, emptyTable, isBillable, Tables } from './tables.ts';

/** The most entities that are kept of a page, and the most characters of all kept entities of a window. */
const sampleEntities = 20;
const sampleCharsMax = 1_048_576;
/** A request with a smaller body has no entity that is near a limit. */
const largeBodyBytes = 24_576;
/**
 * If the text of an entity is shorter than `countedChars` and its size is below `smallEntityBytes`, the observer does
 * not count the properties of the entity.
 */
const countedChars = 120;
const smallEntityBytes = 1_024;
/** V8 copies slices of a text that are shorter than this. Longer slices keep the whole text in memory. */
const slicedChars = 13;

export class Observer {
  readonly tables = new Tables();
  /** Requests that were seen since the start or the last `clear`. */
  requests = 0;
  clients = new Clients();
  readonly #known = new KnownEntities();
  #sampleChars = 0;
  #sequence = 0;
  /**
   * The version of the last request, and the traits of the last write. Consecutive observations with the same version
   * share one text. Observations of consecutive writes with the same traits share one object. This saves memory,
   * because a window keeps thousands of requests.
   */
  #version = '';
  #traits: WriteTraits | undefined;

  /**
   * Observes the record of a request. Returns undefined for a request to an account that does not exist, because such a
   * request tells nothing about an application. Also returns undefined for a read that the sample skips. `isCounted`
   * returns true for requests that the advisor only counts.
   */
  observe(record: RequestRecord, isCounted: IsCounted): Observation | CountedRequest | undefined {
    const sender = this.#senderOf(record);
    if (!sender) return undefined;
    if (!isStaged(record) && isCounted(record.operation, sender.table)) return this.#countedWrite(record, sender);
    const requests = weigh(record, sender.client);
    return requests === 0 ? undefined : this.#observation(record, sender, requests);
  }

  /**
   * Counts a write for the load and for the order of the keys, without a complete observation. Forgets the known
   * entities, because the write may have changed one of them.
   */
  #countedWrite(record: RequestRecord, { client, table }: Sender): CountedRequest {
    const { members, mutation, operation, startedAtMs, startedMs, durationMs } = record;
    if (table && record.status < 300) {
      if (mutation) countWrite(table, mutation);
      for (const member of members) if (member.mutation) countWrite(table, member.mutation);
      this.#known.clear();
    }
    return {
      requests: 1,
      atMs: startedAtMs,
      endMs: startedMs + durationMs,
      operation,
      account: client.account,
      table,
      partitionKey: kept(record.partitionKey ?? members[0]?.partitionKey),
      rowKey: kept(record.rowKey),
      condition: conditionOf(record.ifMatch),
      units: Math.max(record.capacity?.units ?? 0, members.length),
      query: undefined,
      members: noMembers,
    };
  }

  #senderOf(record: RequestRecord): Sender | undefined {
    const { account, operation } = record;
    if (account === '' || record.credential === 'none' || operation === 'TablePreflightRequest') return undefined;
    const client = this.clients.count(record);
    const table = this.#tableOf(record, client.account);
    if (!isStaged(record)) this.#count(record, table ?? this.tables.of(client.account, ''));
    return { client, table };
  }

  /** `requests`: the number of requests that the observation represents. */
  #observation(record: RequestRecord, { client, table }: Sender, requests: number): Observation {
    const { operation } = record;
    const isGenuine = !isStaged(record);
    const write = isGenuine && record.mutation && table ? this.#write(record.mutation, table, record) : undefined;
    if (isGenuine && operation === 'GetEntity' && table && table.replacements > 0)
      this.#rememberRead(table, record.entities);
    const { format } = record;
    const refused = record.batchSize > 0 ? record.members.find(({ refusal }) => refusal !== undefined) : undefined;
    const status = refused?.status ?? record.status;
    return {
      sequence: ++this.#sequence,
      requests,
      atMs: record.startedAtMs,
      startMs: record.startedMs,
      endMs: record.startedMs + record.durationMs,
      client,
      traceId: record.trace?.traceId,
      connection: record.connection,
      operation,
      account: client.account,
      table,
      // A key may be a slice of a longer text, and a slice keeps the complete text in memory. An address is short, so a
      // key from an address is not copied. A key from a body is copied.
      partitionKey: record.bytesIn === 0 ? record.partitionKey : kept(record.partitionKey),
      rowKey: record.bytesIn === 0 ? record.rowKey : kept(record.rowKey),
      status,
      code: (refused ?? record).refusal?.code,
      condition: conditionOf(record.ifMatch),
      isAtom: format?.kind === 'atom',
      isFullMetadata: format?.level === 'full',
      isFromPage: record.isFromPage,
      expectsContinue: record.expectsContinue,
      version: this.#sharedVersion(record.version),
      bytesIn: record.bytesIn,
      bytesOut: record.bytesOut,
      units: record.capacity?.units ?? 0,
      bodyWaitMs: Math.round(record.bodyWaitMs),
      digest: status >= 400 && status < 500 ? digestOf(record) : undefined,
      query:
        isGenuine && record.plan && operation === 'QueryEntities'
          ? this.#query(record, record.plan as Plan, client)
          : undefined,
      read: isGenuine && record.entities.length > 0 ? readTraits(record) : undefined,
      write,
      members: record.batchSize > 0 && table ? this.#members(record, table) : noMembers,
      staged: isGenuine ? undefined : record.fault?.rule,
      batchWarning: record.batchWarning?.kind,
    };
  }

  /** A new window begins. Entities of pages are kept again. */
  beginWindow(): void {
    this.#sampleChars = 0;
  }

  /** Forgets an account or a table. Also forgets all known entities. */
  forget(account: string, table: string | undefined): void {
    this.tables.forget(account, table);
    this.#known.clear();
  }

  clear(): void {
    this.requests = 0;
    this.clients = new Clients();
    this.tables.clear();
    this.#known.clear();
  }

  #tableOf({ table, members, operation }: RequestRecord, account: string): Table | undefined {
    const name = table ?? (operation === 'EntityGroupTransaction' ? members[0]?.table : undefined);
    return name === undefined ? undefined : this.tables.of(account, name);
  }

  #count(record: RequestRecord, table: Table | undefined): void {
    this.requests++;
    if (!table) return;
    if (isBillable(record)) table.billable++;
    table.units += record.capacity?.units ?? 0;
    table.lastAtMs = record.startedAtMs;
    if (record.operation === 'DeleteTable' && record.status < 300) emptyTable(table);
  }

  #query(record: RequestRecord, plan: Plan, { queries }: Client): QueryTraits {
    return {
      filter: kept(record.filter),
      select: kept(record.select),
      top: record.top,
      plan,
      visited: record.visited,
      returned: record.returned,
      followsContinuation: record.followsContinuation,
      givesContinuation: record.givesContinuation,
      // Keeping the entities of a page is the most expensive part of this module. The entities are therefore not kept
      // during a long run of similar queries.
      sample: queries.isSteady ? noEntities : this.#sample(record.entities),
    };
  }

  #sample(entities: readonly EntityRecord[]): readonly EntityRecord[] {
    if (entities.length === 0 || this.#sampleChars > sampleCharsMax) return noEntities;
    const sample = entities.slice(0, sampleEntities);
    for (const { properties } of sample) this.#sampleChars += properties.length + 100;
    return sample;
  }

  #rememberRead(table: Table, [entity]: readonly EntityRecord[]): void {
    if (entity) this.#known.remember(table, entity, entity.properties);
  }

  #members(record: RequestRecord, table: Table): Member[] {
    const { members, status } = record;
    return members.map((member) => {
      const { operation, partitionKey = '', rowKey = '', mutation } = member;
      const isDone = status < 300 && isWritten(member) && !isStaged(record);
      const write = mutation && this.#writeOf(mutation, { table, bytes: sizeHint(mutation), isDone });
      const key = { partitionKey: keptText(partitionKey), rowKey: keptText(rowKey) };
      return { operation, ...key, status: member.status ?? 0, condition: conditionOfMutation(mutation), write };
    });
  }

  #write(mutation: Mutation, table: Table, { status, bytesIn }: RequestRecord): WriteTraits | undefined {
    return this.#writeOf(mutation, { table, bytes: bytesIn, isDone: status < 300 });
  }

  #writeOf(mutation: Mutation, { table, bytes, isDone }: WriteContext): WriteTraits | undefined {
    if (isDone) countWrite(table, mutation);
    if (mutation.kind === 'delete') {
      if (isDone) this.#known.forget(table, mutation);
      return undefined;
    }
    const { properties } = mutation;
    const isLarge = bytes > largeBodyBytes;
    return this.#sharedTraits({
      properties: properties.size,
      names: nameBits(properties),
      entityBytes: isLarge ? entityBytes(mutation, properties) : 0,
      valueBytes: isLarge ? largestValue(properties) : 0,
      change: isDone ? this.#replace(mutation, table) : undefined,
    });
  }

  #sharedVersion(version = ''): string {
    if (version !== this.#version) this.#version = version;
    return this.#version;
  }

  #sharedTraits(traits: WriteTraits): WriteTraits {
    const last = this.#traits;
    if (
      last?.properties === traits.properties &&
      last.names === traits.names &&
      last.entityBytes === traits.entityBytes &&
      last.valueBytes === traits.valueBytes &&
      last.change === traits.change
    )
      return last;
    this.#traits = traits;
    return traits;
  }

  #replace(mutation: Exclude<Mutation, { readonly kind: 'delete' }>, table: Table): WriteTraits['change'] {
    const isReplacement = mutation.kind === 'replace' || mutation.kind === 'insertOrReplace';
    if (!isReplacement) {
      // After a merge, the properties of the entity are not known.
      if (table.replacements > 0 && mutation.kind !== 'insert') this.#known.forget(table, mutation);
      else if (table.replacements > 0) this.#known.remember(table, mutation, encodeProperties(mutation.properties));
      return undefined;
    }
    table.replacements++;
    const change = this.#known.changeBy(table, mutation);
    this.#known.remember(table, mutation, encodeProperties(mutation.properties));
    return change;
  }
}

type IsCounted = (operation: string, table: Table | undefined) => boolean;

interface Sender {
  readonly client: Client;
  readonly table: Table | undefined;
}

interface WriteContext {
  readonly table: Table;
  /** The approximate size of the entity. */
  readonly bytes: number;
  readonly isDone: boolean;
}

/** The number of requests that this request represents in the window. 0 for a read that the sample skips. */
function weigh(record: RequestRecord, { reads, queries }: Client): number {
  const { operation, startedMs } = record;
  if (operation === 'GetEntity' && isPlainRead(record)) {
    queries.interrupt();
    return reads.weigh(startedMs);
  }
  reads.interrupt();
  if (
    operation === 'QueryEntities' &&
    isPlainRead(record) &&
    !record.givesContinuation &&
    !record.followsContinuation
  ) {
    return queries.weigh(startedMs);
  }
  queries.interrupt();
  return 1;
}

/** Whether the read is an ordinary one, so that a sample of such reads is enough. */
const isPlainRead = ({ status, expectsContinue, isFromPage, format }: RequestRecord): boolean =>
  status === 200 && !expectsContinue && !isFromPage && format?.kind === 'json' && format.level !== 'full';

const noMembers: readonly Member[] = Object.freeze([]);
const noEntities: readonly EntityRecord[] = Object.freeze([]);

const isWritten = ({ status, refusal }: BatchMember): boolean => refusal === undefined && (status ?? 500) < 300;

/**
 * Estimates the size of an entity without encoding it. The length of the body is not an estimate, because a batch has
 * one body for all its writes.
 */
function sizeHint(mutation: Mutation): number {
  if (mutation.kind === 'delete') return 0;
  let bytes = 0;
  for (const { value } of mutation.properties.values()) {
    bytes += typeof value === 'string' || value instanceof Buffer ? value.length : 16;
  }
  return bytes;
}

const kept = (text: string | undefined): string | undefined => (text === undefined ? undefined : keptText(text));
const keptText = (text: string): string => (text.length < slicedChars ? text : copyString(text));

const conditionOf = (ifMatch: string | undefined): Condition =>
  ifMatch === undefined ? 'none' : ifMatch === '*' ? 'any' : 'etag';

function conditionOfMutation(mutation: Mutation | undefined): Condition {
  if (!mutation || !('ifMatch' in mutation)) return 'none';
  return mutation.ifMatch.kind === 'any' ? 'any' : 'etag';
}

/** A text that is equal for equal requests. It is a hash, because the address may contain a signature. */
function digestOf({ method, url, ifMatch = '', body }: RequestRecord): string {
  const hash = createHash('sha1').update(`${method} ${url}\n${ifMatch}\n`);
  if (body) hash.update(body);
  return hash.digest('base64');
}

/** Undefined if the entity is small. Most entities are, and no rule is about them. */
function readTraits({ entities, bytesOut, select }: RequestRecord): ReadTraits | undefined {
  const text = entities[0]?.properties ?? '';
  const entityBytes = Math.round(bytesOut / entities.length);
  if (text.length < countedChars && entityBytes < smallEntityBytes) return undefined;
  return { properties: propertiesIn(text), entityBytes, isProjected: select !== undefined };
}

/**
 * Counts the properties in the JSON text of an entity. A quotation mark inside a value is escaped, so each `":` ends a
 * name. Counting stops at 300, because no rule distinguishes larger numbers.
 */
function propertiesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('":'); at !== -1 && count < 300; at = text.indexOf('":', at + 2)) count++;
  return text.includes('@odata.type":') ? count - text.split('@odata.type":').length + 1 : count;
}

function nameBits(properties: Properties): number {
  let names = 0;
  for (const name of properties.keys()) names |= 1 << (hashText(name) & 31);
  return names;
}

function largestValue(properties: Properties): number {
  let bytes = 0;
  for (const { value } of properties.values()) {
    if (typeof value === 'string') bytes = Math.max(bytes, 2 * value.length);
    else if (value instanceof Buffer) bytes = Math.max(bytes, value.length);
  }
  return bytes;
}
