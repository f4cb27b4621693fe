// Carries out `apply`. A write first locks its table against deletion (FOR KEY SHARE). It then takes a timestamp from
// the row of its partition's bucket, which stays locked until COMMIT. It reads only after these steps. Writes to a
// partition therefore run one after another and read the current state. Without Citus, a write of a single mutation
// takes one statement if the plan of the mutation is `insert` or `upsert`. Without Citus, every other write to one
// partition takes two round trips to the database.

import type { EntityKey } from '../../model/entity.ts';
import type { Mutation } from '../../model/mutation.ts';
import { createTicksFormat, lastWriteTicks, type Ticks } from '../../model/ticks.ts';
import type { ModelTime } from '../../model/time.ts';
import { type CurrentEntity, decideMutation, planMutation } from '../decide-mutation.ts';
import type { AppliedEntity, ApplyOutcome } from '../store.ts';
import { type Database, RolledBack, type Run } from './database.ts';
import { isKeyTooLong } from './failures.ts';
import { decodeKeyBytes, encodeKeyBytes } from './key-bytes.ts';
import { type PostgresStatements, putRows } from './statements.ts';
import type { TableTarget } from './table-target.ts';
import { type Locked, nowTicks, type PostgresTimestampAllocator, slotOf } from './timestamp-allocator.ts';

export interface PostgresEntityWritesOptions {
  readonly database: Database;
  readonly statements: PostgresStatements;
  readonly modelTime: Pick<ModelTime, 'nowMs'>;
  readonly timestamps: PostgresTimestampAllocator;
  /** Whether the entities are distributed over Citus. They are then found by the id of their table. */
  readonly isDistributed: boolean;
}

/** What is known about the entities that an `apply` changes, by partition key and row key. */
type Known = Map<string, Map<string, KnownEntity>>;

interface KnownEntity {
  readonly current: CurrentEntity | undefined;
  /** Present once a mutation has written or deleted the entity. */
  readonly ticks?: Ticks;
}

export class PostgresEntityWrites {
  readonly #options: PostgresEntityWritesOptions;
  readonly #formatTicks = createTicksFormat();

  constructor(options: PostgresEntityWritesOptions) {
    this.#options = options;
  }

  /** Resolves with undefined if there is no table of this name. */
  async apply(table: TableTarget, mutations: readonly Mutation[]): Promise<ApplyOutcome | undefined> {
    try {
      const [only, second] = mutations;
      const once = only && !second ? this.#applyOnce(table, only) : undefined;
      return await (once ?? this.#applyAll(table, mutations));
    } catch (error) {
      if (!isKeyTooLong(error)) throw error;
      // The keys are valid in the service but too long for the index. The only fitting refusal is the one for size.
      return { kind: 'tooLarge', failedAt: longestKeyOf(mutations) };
    }
  }

  /** Returns undefined, or resolves with it, if the mutation takes more than one statement. */
  #applyOnce(table: TableTarget, mutation: Mutation): Promise<ApplyOutcome | undefined> | undefined {
    const plan = this.#options.isDistributed ? undefined : planMutation(mutation);
    if (plan?.kind !== 'insert' && plan?.kind !== 'upsert') return undefined;
    const { database, statements, modelTime } = this.#options;
    const { account, lookup } = table;
    const { partitionKey, rowKey } = mutation;
    const values = [account, lookup, slotOf(account, lookup, partitionKey), nowTicks(modelTime)];
    const statement = plan.kind === 'insert' ? statements.insertOne : statements.upsertOne;
    return database
      .write(statement, [...values, encodeKeyBytes(partitionKey), encodeKeyBytes(rowKey), plan.properties])
      .then(([row]) => {
        const [ticks, isWritten] = row ?? [];
        if (ticks == null) return undefined;
        if (isWritten !== 't') return { kind: 'exists', failedAt: 0 };
        return {
          kind: 'applied',
          entities: [{ timestamp: this.#formatTicks(BigInt(ticks)), properties: plan.properties }],
        };
      });
  }

  #applyAll(table: TableTarget, mutations: readonly Mutation[]): Promise<ApplyOutcome | undefined> {
    const { database, isDistributed } = this.#options;
    return database.transaction<ApplyOutcome | undefined>(async (run) => {
      const partitions = keysByPartition(mutations);
      const [only, second] = partitions.keys();
      const isOne = only !== undefined && second === undefined;
      const locking = isOne
        ? this.#lockPartition(run, table, { partitionKey: only, count: mutations.length })
        : undefined;
      // With one partition, the entities are read in the same round trip as the locks.
      const reading = locking && !isDistributed ? this.#read(run, table, partitions) : undefined;
      // If locking fails too, only its error is reported.
      reading?.catch(() => undefined);
      const locked = await (locking ?? this.#lockPartitions(run, table, { partitions, count: mutations.length }));
      if (!locked) return new RolledBack(undefined);
      const known = await (reading ?? this.#read(run, isDistributed ? locked : table, partitions));
      const outcome = this.#decide(mutations, known, locked);
      if (outcome.kind !== 'applied') return new RolledBack(outcome);
      this.#write(run, known, locked);
      return outcome;
    });
  }

  #lockPartition(
    run: Run,
    table: TableTarget,
    { partitionKey, count }: { readonly partitionKey: string; readonly count: number },
  ): Promise<Locked | undefined> {
    const { timestamps, modelTime } = this.#options;
    return timestamps.lockPartition(run, table, { partitionKey, count, now: nowTicks(modelTime) });
  }

  async #lockPartitions(
    run: Run,
    table: TableTarget,
    { partitions, count }: { readonly partitions: ReadonlyMap<string, unknown>; readonly count: number },
  ): Promise<Locked | undefined> {
    const { timestamps, statements, modelTime } = this.#options;
    const [row] = await run(statements.lockTable, [table.account, table.lookup]);
    if (!row) return undefined;
    const partitionKeys = [...partitions.keys()];
    let firstTicks = nowTicks(modelTime);
    for (const last of [lastWriteTicks(BigInt(row[1] as string)), await timestamps.lock(run, table, partitionKeys)]) {
      if (last >= firstTicks) firstTicks = last + 1n;
    }
    if (count > 0) await timestamps.raise(run, table, { partitionKeys, last: firstTicks + BigInt(count - 1) });
    return { tableId: row[0] as string, firstTicks };
  }

  async #read(run: Run, table: TableTarget | Locked, partitions: KeysByPartition): Promise<Known> {
    const { readForWrite, readForWriteOf } = this.#options.statements;
    const [statement, place] =
      'tableId' in table ? [readForWriteOf, [table.tableId]] : [readForWrite, [table.account, table.lookup]];
    const known: Known = new Map();
    const reads = [...partitions].map(async ([partitionKey, rowKeys]) => {
      const keys = [...rowKeys].map(encodeKeyBytes);
      const rows = await run(statement, [...place, encodeKeyBytes(partitionKey), keys]);
      const entities = new Map<string, KnownEntity>([...rowKeys].map((rowKey) => [rowKey, { current: undefined }]));
      for (const [rowKey, ticks, properties] of rows) {
        const timestamp = this.#formatTicks(BigInt(ticks as string));
        entities.set(decodeKeyBytes(rowKey as string), { current: { timestamp, properties: properties as string } });
      }
      known.set(partitionKey, entities);
    });
    await Promise.all(reads);
    return known;
  }

  /** Decides on each mutation in turn, and records the resulting entities in `known`. */
  #decide(mutations: readonly Mutation[], known: Known, { firstTicks }: Locked): ApplyOutcome {
    const applied: AppliedEntity[] = [];
    for (const [at, mutation] of mutations.entries()) {
      const entities = known.get(mutation.partitionKey);
      const decision = decideMutation(entities?.get(mutation.rowKey)?.current, mutation);
      if (decision.kind !== 'write' && decision.kind !== 'delete') return { ...decision, failedAt: at };
      const ticks = firstTicks + BigInt(at);
      const properties = decision.kind === 'write' ? decision.properties : '';
      const entity = { timestamp: this.#formatTicks(ticks), properties };
      entities?.set(mutation.rowKey, { current: decision.kind === 'write' ? entity : undefined, ticks });
      applied.push(entity);
    }
    return { kind: 'applied', entities: applied };
  }

  /** Sends the changes. The transaction waits for them. */
  #write(run: Run, known: Known, { tableId }: Locked): void {
    const { deleteEntities } = this.#options.statements;
    for (const [partitionKey, entities] of known) {
      const changed = [...entities].filter(([, { ticks }]) => ticks !== undefined);
      const put = changed.filter(([, { current }]) => current !== undefined);
      const deleted = changed.filter(([, { current }]) => current === undefined);
      const partition = encodeKeyBytes(partitionKey);
      const rows = put.map(
        ([rowKey, { ticks = null, current }]) => [encodeKeyBytes(rowKey), ticks, current?.properties ?? null] as const,
      );
      this.#put(run, [tableId, partition], rows);
      if (deleted.length > 0) {
        void run(deleteEntities, [tableId, partition, deleted.map(([rowKey]) => encodeKeyBytes(rowKey))]);
      }
    }
  }

  /** Writes the rows of one partition. */
  #put(run: Run, [tableId, partition]: readonly [string, Buffer], rows: readonly PutRow[]): void {
    const { statements, isDistributed } = this.#options;
    if (!isDistributed) {
      if (rows.length === 0) return;
      const columns = [rows.map(([key]) => key), rows.map(([, ticks]) => ticks), rows.map(([, , text]) => text)];
      void run(statements.putEntities, [tableId, partition, ...columns]);
      return;
    }
    for (let start = 0; start < rows.length; start += putRowsMax) {
      const some = rows.slice(start, start + putRowsMax);
      void run(putRows(statements.putRow, some.length), [tableId, partition, ...some.flat()]);
    }
  }
}

/** The most rows in one statement. An entity group transaction has no more. */
const putRowsMax = 100;

/** The row key, the timestamp and the properties. */
type PutRow = readonly [rowKey: Buffer, ticks: Ticks | null, properties: string | null];

type KeysByPartition = ReadonlyMap<string, ReadonlySet<string>>;

function keysByPartition(keys: readonly EntityKey[]): KeysByPartition {
  const partitions = new Map<string, Set<string>>();
  for (const { partitionKey, rowKey } of keys) {
    const rowKeys = partitions.get(partitionKey) ?? new Set();
    partitions.set(partitionKey, rowKeys.add(rowKey));
  }
  return partitions;
}

function longestKeyOf(keys: readonly EntityKey[]): number {
  const lengths = keys.map(({ partitionKey, rowKey }) => encodeKeyBytes(partitionKey + rowKey).length);
  return lengths.indexOf(Math.max(...lengths));
}
