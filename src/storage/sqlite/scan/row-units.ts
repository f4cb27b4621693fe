// The capacity units of rows, and where partitions begin among them: what a Visit is computed from.

import { entityUnits, unitsOf } from '../../../model/entity-units.ts';
import type { Visit } from '../../store.ts';
import { type PartitionKeys, visitOf } from '../../visit-parts.ts';
import { decodeKeyPart } from '../file/key-order.ts';
import type { ReadRow } from '../file/row-text.ts';

export interface RowUnits {
  /** Units of each row. */
  readonly units: Uint16Array;
  /** Index of the first row of each partition. */
  readonly starts: Uint16Array;
  /** Partition keys by the index of the first row: those with which the parts of `whole` begin, and the last one. */
  readonly partitionKeys: ReadonlyMap<number, string>;
  /** The Visit of all rows. */
  readonly whole: Visit;
}

export function readRowUnits(rows: readonly ReadRow[]): RowUnits {
  const units = new Uint16Array(rows.length);
  const starts: number[] = [];
  let partitionKey: string | undefined;
  let at = 0;
  for (const row of rows) {
    if (row.partitionKey !== partitionKey) starts.push(at);
    partitionKey = row.partitionKey;
    units[at] = unitsOfRow(row);
    at++;
  }
  const keyAt = (start: number): string => decodeKeyPart((rows[start] as ReadRow).partitionKey);
  return complete(units, Uint16Array.from(starts), { known: keyAt, at: keyAt });
}

/** The Visit of the rows before `end`. */
export function visitOfRows(rows: readonly ReadRow[], end: number): Visit {
  const [first, last] = [rows[0], rows[end - 1]];
  if (!first || !last || first.partitionKey !== last.partitionKey) return readRowUnits(rows.slice(0, end)).whole;
  // Most pages are within one partition, and need not be divided into parts.
  let units = 0;
  for (let at = 0; at < end; at++) units += unitsOfRow(rows[at] as ReadRow);
  const partitionKey = decodeKeyPart(first.partitionKey);
  return { partitionKey, entities: end, units, parts: [{ partitionKey, units, partitionUnits: units }] };
}

/** Stored keys are never shorter than decoded ones, so a small entity needs no decoding. */
function unitsOfRow({ partitionKey, rowKey, properties }: ReadRow): number {
  if (unitsOf(partitionKey.length + rowKey.length + properties.length) === 1) return 1;
  return entityUnits({ partitionKey: decodeKeyPart(partitionKey), rowKey: decodeKeyPart(rowKey), properties });
}

/**
 * Returns the rows of `a` followed by the rows of `b`. The result needs the partition keys of its large partitions. All
 * of these keys are known: a large partition of the result is already large in `a` or in `b`, or it is the last
 * partition of `a` and the first of `b`.
 */
export function joinRowUnits(a: RowUnits, b: RowUnits): RowUnits {
  const count = a.units.length;
  const units = new Uint16Array(count + b.units.length);
  units.set(a.units);
  units.set(b.units, count);
  const last = a.starts.at(-1);
  const isOnePartition = last !== undefined && a.partitionKeys.get(last) === b.partitionKeys.get(0);
  const startsOfB = isOnePartition ? b.starts.subarray(1) : b.starts;
  const starts = new Uint16Array(a.starts.length + startsOfB.length);
  starts.set(a.starts);
  for (let at = 0; at < startsOfB.length; at++) starts[a.starts.length + at] = (startsOfB[at] as number) + count;
  const known = (start: number): string | undefined =>
    start < count ? a.partitionKeys.get(start) : b.partitionKeys.get(start - count);
  return complete(units, starts, { known, at: (start) => known(start) ?? '' });
}

function complete(units: Uint16Array, starts: Uint16Array, keys: PartitionKeys): RowUnits {
  const partitionKeys = new Map<number, string>();
  const remember = (start: number, key: string | undefined): string => {
    if (key !== undefined) partitionKeys.set(start, key);
    return key ?? '';
  };
  const known = (start: number): string | undefined => {
    const key = keys.known(start);
    remember(start, key);
    return key;
  };
  const at = (start: number): string => remember(start, keys.at(start));
  const whole = visitOf({ units, starts }, { start: 0, end: units.length, keys: { known, at } });
  const last = starts.at(-1);
  if (last !== undefined) at(last);
  return { units, starts, partitionKeys, whole };
}

/** Approximate memory, in bytes. */
export function rowUnitsBytes({ units, starts, partitionKeys }: RowUnits): number {
  let bytes = units.byteLength + starts.byteLength;
  for (const partitionKey of partitionKeys.values()) bytes += 96 + partitionKey.length * 2;
  return bytes;
}
