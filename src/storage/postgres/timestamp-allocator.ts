// Allocates the timestamps of writes. The last timestamps of partitions are stored in rows that writers lock, so a
// later write on any node gets a later timestamp.

import { lastWriteTicks, type Ticks, writeTicksFromMs } from '../../model/ticks.ts';
import type { ModelTime } from '../../model/time.ts';
import type { Run } from './database.ts';
import { encodeKeyBytes } from './key-bytes.ts';
import { timestampSlots } from './schema.ts';
import type { PostgresStatements } from './statements.ts';
import type { TableTarget } from './table-target.ts';

/** The time of this node. The database makes timestamps increase even if the clocks of nodes differ. */
export function nowTicks(modelTime: Pick<ModelTime, 'nowMs'>): Ticks {
  return writeTicksFromMs(modelTime.nowMs());
}

/**
 * A locked table, and the timestamp of the first mutation. Each further mutation gets a timestamp one tick after the
 * previous one.
 */
export interface Locked {
  readonly tableId: string;
  readonly firstTicks: Ticks;
}

export interface TimestampsWanted {
  readonly count: number;
  /** The node's time. Timestamps are not earlier. */
  readonly now: Ticks;
}

/** Several partitions can be passed in any order: locking them never causes a deadlock. */
export interface PostgresTimestampAllocator {
  /** Locks a table against its deletion, then a partition; undefined if there is no such table. */
  lockPartition(
    run: Run,
    table: TableTarget,
    wanted: TimestampsWanted & { readonly partitionKey: string },
  ): Promise<Locked | undefined>;
  /** Locks partitions; returns the last timestamp among them. */
  lock(run: Run, table: TableTarget, partitionKeys: readonly string[]): Promise<Ticks>;
  /** Makes the next timestamps of locked partitions later than `last`. */
  raise(run: Run, table: TableTarget, partitions: RaisedPartitions): Promise<unknown>;
}

export interface RaisedPartitions {
  readonly partitionKeys: readonly string[];
  readonly last: Ticks;
}

/**
 * Uses a fixed number of rows, one for each bucket of partitions. Writes to partitions of the same bucket wait for each
 * other.
 */
export class BucketTimestampAllocator implements PostgresTimestampAllocator {
  readonly #statements: PostgresStatements;

  constructor(statements: PostgresStatements) {
    this.#statements = statements;
  }

  async lockPartition(
    run: Run,
    { account, lookup }: TableTarget,
    { partitionKey, count, now }: TimestampsWanted & { readonly partitionKey: string },
  ): Promise<Locked | undefined> {
    const slot = slotOf(account, lookup, partitionKey);
    const [row] = await run(this.#statements.lockPartition, [account, lookup, slot, now, count]);
    return row && { tableId: row[0] as string, firstTicks: BigInt(row[1] as string) - BigInt(count - 1) };
  }

  async lock(run: Run, table: TableTarget, partitionKeys: readonly string[]): Promise<Ticks> {
    return latestOf(await run(this.#statements.lockSlots, [slotsOf(table, partitionKeys)]));
  }

  raise(run: Run, table: TableTarget, { partitionKeys, last }: RaisedPartitions): Promise<unknown> {
    return run(this.#statements.setSlots, [slotsOf(table, partitionKeys), last]);
  }
}

/** Over Citus: a row for each PartitionKey, on the worker that has its entities. */
export class PartitionTimestampAllocator implements PostgresTimestampAllocator {
  readonly #statements: PostgresStatements;

  constructor(statements: PostgresStatements) {
    this.#statements = statements;
  }

  async lockPartition(
    run: Run,
    { account, lookup }: TableTarget,
    { partitionKey, count, now }: TimestampsWanted & { readonly partitionKey: string },
  ): Promise<Locked | undefined> {
    const { lockTable, lockTimestamp } = this.#statements;
    const take = async (from: Ticks): Promise<Ticks> => {
      const [row] = await run(lockTimestamp, [encodeKeyBytes(partitionKey), from - 1n, count]);
      return BigInt(row?.[0] as string) - BigInt(count - 1);
    };
    const [[table], firstTicks] = await Promise.all([run(lockTable, [account, lookup]), take(now)]);
    if (!table) return undefined;
    const [tableId, createdTicks] = table as readonly [string, string];
    const created = lastWriteTicks(BigInt(createdTicks));
    return { tableId, firstTicks: firstTicks > created ? firstTicks : await take(created + 1n) };
  }

  lock(run: Run, _: TableTarget, partitionKeys: readonly string[]): Promise<Ticks> {
    return this.#raise(run, partitionKeys, 0n);
  }

  raise(run: Run, _: TableTarget, { partitionKeys, last }: RaisedPartitions): Promise<unknown> {
    return this.#raise(run, partitionKeys, last);
  }

  /** Sorts the keys, because the database locks their rows in the given order. */
  async #raise(run: Run, partitionKeys: readonly string[], ticks: Ticks): Promise<Ticks> {
    const keys = [...new Set(partitionKeys)].sort();
    return latestOf(await run(this.#statements.raiseTimestamps, [keys.map(encodeKeyBytes), ticks]));
  }
}

function latestOf(rows: readonly (readonly (string | null)[])[]): Ticks {
  let latest = 0n;
  for (const [stored] of rows) {
    const ticks = lastWriteTicks(BigInt(stored as string));
    if (ticks > latest) latest = ticks;
  }
  return latest;
}

const slotsOf = ({ account, lookup }: TableTarget, partitionKeys: readonly string[]): readonly number[] => [
  ...new Set(partitionKeys.map((partitionKey) => slotOf(account, lookup, partitionKey))),
];

/**
 * Returns the bucket of a partition: an FNV-1a hash over the code units of the three names. Timestamps increase within
 * a bucket.
 */
export function slotOf(account: string, lookup: string, partitionKey: string): number {
  let hash = 0x811c9dc5;
  for (const text of [account, lookup, partitionKey]) {
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    // Separates two names.
    hash = Math.imul(hash ^ 0xffff, 0x01000193);
  }
  return (hash ^ (hash >>> 15)) & (timestampSlots - 1);
}
