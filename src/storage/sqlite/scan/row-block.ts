// A cached key range of a table: its row ids, and the columns that filters have used.

import { compareKeys, type EntityKey } from '../../../model/entity.ts';
import { firstIndex } from '../../../model/first-index.ts';
import { propertyFinder } from '../../../model/properties.ts';
import { ticksPerSecond } from '../../../model/ticks.ts';
import { type Column, ColumnBuilder, columnBytes, joinColumns } from '../../../query/column.ts';
import { decodeKeyPart } from '../file/key-order.ts';
import type { ReadRow } from '../file/row-text.ts';
import { joinRowUnits, type RowUnits, readRowUnits, rowUnitsBytes } from './row-units.ts';

export interface RowBlock {
  /**
   * The block holds every entity from `low` (inclusive) to `high` (exclusive). If `high` is undefined, the block
   * extends to the end of the table.
   */
  readonly low: EntityKey;
  readonly high: EntityKey | undefined;
  readonly ids: Float64Array;
  /**
   * Keys whose index is known: `low`, and the `low` of each block that was joined to this block. Other scans may
   * continue at these keys.
   */
  readonly knownKeys: readonly KnownKey[];
  readonly columns: ReadonlyMap<string, Column>;
  readonly rowUnits: RowUnits;
  /** Approximate memory. */
  readonly bytes: number;
  /** Length of the stored properties, which are read to build the block. */
  readonly readBytes: number;
}

export interface KnownKey {
  readonly key: EntityKey;
  /** Index of the first entity at or after the key. */
  readonly at: number;
}

export interface BlockFrame extends Pick<RowBlock, 'low' | 'high'> {
  readonly names: Iterable<string>;
  /** The known keys of the block that this block replaces. */
  readonly knownKeys?: readonly KnownKey[];
}

export function buildBlock(
  rows: readonly ReadRow[],
  { low, high, names, knownKeys = [{ key: low, at: 0 }] }: BlockFrame,
): RowBlock {
  const columns = readColumns(rows, names);
  const ids = Float64Array.from(rows, ({ id }) => id);
  const rowUnits = readRowUnits(rows);
  let bytes = blockBytes + ids.byteLength + rowUnitsBytes(rowUnits);
  for (const column of columns.values()) bytes += columnBytes(column);
  let readBytes = 0;
  for (const { properties } of rows) readBytes += properties.length;
  return { low, high, ids, knownKeys, columns, rowUnits, bytes, readBytes };
}

/** Joins two adjacent blocks; undefined if they are not adjacent, have different columns, or would be too large. */
export function joinBlocks(a: RowBlock, b: RowBlock): RowBlock | undefined {
  const isAdjacent = a.high !== undefined && compareKeys(a.high, b.low) === 0;
  const isSmall = a.ids.length + b.ids.length <= joinedRowsMax && a.readBytes + b.readBytes <= joinedBytesMax;
  if (!isAdjacent || !isSmall || a.columns.size !== b.columns.size) return undefined;
  const columns = new Map<string, Column>();
  for (const [name, column] of a.columns) {
    const other = b.columns.get(name);
    if (!other) return undefined;
    columns.set(name, joinColumns(column, other));
  }
  const ids = new Float64Array(a.ids.length + b.ids.length);
  ids.set(a.ids);
  ids.set(b.ids, a.ids.length);
  const rowUnits = joinRowUnits(a.rowUnits, b.rowUnits);
  const saved = blockBytes + rowUnitsBytes(a.rowUnits) + rowUnitsBytes(b.rowUnits) - rowUnitsBytes(rowUnits);
  const bytes = a.bytes + b.bytes - saved;
  const knownKeys = [...a.knownKeys, ...b.knownKeys.map(({ key, at }) => ({ key, at: at + a.ids.length }))];
  const readBytes = a.readBytes + b.readBytes;
  return { low: a.low, high: b.high, ids, knownKeys, columns, rowUnits, bytes, readBytes };
}

/**
 * The limits for joining blocks. Larger blocks are faster to filter, but slower to read again after a write. Reading a
 * block of this size again takes two or three ms.
 */
const joinedRowsMax = 1024;
const joinedBytesMax = 1.25 * 1_048_576;

/** Approximate memory of a block without its columns. */
const blockBytes = 600;

export function readColumns(rows: readonly ReadRow[], names: Iterable<string>): Map<string, Column> {
  const columns = new Map<string, Column>();
  for (const name of names) columns.set(name, readColumn(rows, name));
  return columns;
}

function readColumn(rows: readonly ReadRow[], name: string): Column {
  const column = new ColumnBuilder(rows.length);
  const find = propertyFinder(name);
  let at = 0;
  for (const { partitionKey, rowKey, seconds, fraction, properties } of rows) {
    if (name === 'PartitionKey') column.set(at, { type: 'Edm.String', value: decodeKeyPart(partitionKey) });
    else if (name === 'RowKey') column.set(at, { type: 'Edm.String', value: decodeKeyPart(rowKey) });
    else if (name === 'Timestamp') column.set(at, { type: 'Edm.DateTime', value: ticksOf(seconds, fraction) });
    else {
      const edm = find(properties);
      if (edm) column.set(at, edm);
    }
    at++;
  }
  return column;
}

function ticksOf(seconds: number, fraction: string): bigint {
  return BigInt(seconds) * BigInt(ticksPerSecond) + BigInt(fraction);
}

/** Index of the first entity at or after a key; undefined if the block has no keys to find it. */
export function indexOfKey(block: RowBlock, key: EntityKey | undefined): number | undefined {
  const { low, high, ids, knownKeys, columns } = block;
  if (!key || (high && compareKeys(key, high) >= 0)) return ids.length;
  if (compareKeys(key, low) <= 0) return 0;
  const known = knownKeys.find((candidate) => compareKeys(candidate.key, key) === 0);
  if (known) return known.at;
  const partitionKeys = columns.get('PartitionKey')?.texts;
  const rowKeys = columns.get('RowKey')?.texts;
  if (!partitionKeys || !rowKeys) return undefined;
  const keyAt = (at: number): EntityKey => ({ partitionKey: partitionKeys[at] ?? '', rowKey: rowKeys[at] ?? '' });
  return firstIndex(ids.length, (at) => compareKeys(keyAt(at), key) >= 0);
}
