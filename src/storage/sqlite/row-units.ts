// What rows count in units of capacity, and where the partitions among them begin: what `onVisit` is told of a stretch.

import { entityUnits, unitsOf } from '../../model/entity-units.ts';
import type { PartitionVisit, Visit } from '../store.ts';
import { decodeKeyPart } from './key-order.ts';
import type { EntityRow } from './table-rows.ts';

/** A partition is told of when it holds one of so many parts of a stretch. */
const partsMax = 16;

export interface RowUnits {
  /** Of each row. */
  readonly units: Uint16Array;
  /** Index of the first row of each partition. */
  readonly starts: Uint16Array;
  /** By start: keys of the partitions told of in `whole`, of the first partition and of the last one. */
  readonly partitionKeys: ReadonlyMap<number, string>;
  /** All rows as one stretch. */
  readonly whole: Visit;
}

/** Gives the key of the partition that begins with a row. */
export type PartitionKeyAt = (start: number) => string;

export function readRowUnits(rows: readonly EntityRow[]): RowUnits {
  const units = new Uint16Array(rows.length);
  const starts: number[] = [];
  let partitionKey: string | undefined;
  let at = 0;
  for (const row of rows) {
    if (row[1] !== partitionKey) starts.push(at);
    partitionKey = row[1];
    units[at] = unitsOfRow(row);
    at++;
  }
  return complete(units, Uint16Array.from(starts), (start) => decodeKeyPart((rows[start] as EntityRow)[1]));
}

/** Keys as they are stored are never shorter, so that they need decoding only where the entity is not small. */
function unitsOfRow(row: EntityRow): number {
  const [partitionKey, rowKey, properties] = [row[1], row[2], row[5]];
  if (unitsOf(partitionKey.length + rowKey.length + properties.length) === 1) return 1;
  return entityUnits({ partitionKey: decodeKeyPart(partitionKey), rowKey: decodeKeyPart(rowKey), properties });
}

/**
 * The rows of `b` after those of `a`. Every key that is needed is known: a partition that is told of in both together
 * was told of in one of them, or goes from the end of one to the beginning of the other.
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
  const keyAt: PartitionKeyAt = (start) =>
    (start < count ? a.partitionKeys.get(start) : b.partitionKeys.get(start - count)) ?? '';
  return complete(units, starts, keyAt);
}

function complete(units: Uint16Array, starts: Uint16Array, keyAt: PartitionKeyAt): RowUnits {
  const partitionKeys = new Map<number, string>();
  const remember: PartitionKeyAt = (start) => {
    const partitionKey = keyAt(start);
    partitionKeys.set(start, partitionKey);
    return partitionKey;
  };
  const whole = visitOf({ units, starts }, { start: 0, end: units.length, keyAt: remember });
  const last = starts.at(-1);
  if (last !== undefined) remember(last);
  return { units, starts, partitionKeys, whole };
}

/** The rows from one index on and before another, as a stretch. */
export function visitOf(
  { units, starts }: Pick<RowUnits, 'units' | 'starts'>,
  { start, end, keyAt }: { readonly start: number; readonly end: number; readonly keyAt: PartitionKeyAt },
): Visit {
  if (start >= end) return { partitionKey: '', entities: 0, units: 0, partitions: [] };
  const first = starts.findLastIndex((at) => at <= start);
  const unitsByPartition: number[] = [];
  let total = 0;
  for (let partition = first; partition < starts.length && (starts[partition] as number) < end; partition++) {
    const before = Math.min(end, starts[partition + 1] ?? end);
    let held = 0;
    for (let at = Math.max(start, starts[partition] as number); at < before; at++) held += units[at] as number;
    unitsByPartition.push(held);
    total += held;
  }
  const partitions: PartitionVisit[] = [];
  for (let index = 0; index < unitsByPartition.length; index++) {
    const held = unitsByPartition[index] as number;
    if (held * partsMax >= total)
      partitions.push({ partitionKey: keyAt(starts[first + index] as number), units: held });
  }
  return { partitionKey: keyAt(starts[first] as number), entities: end - start, units: total, partitions };
}

/** Bytes of memory, about. */
export function rowUnitsBytes({ units, starts, partitionKeys }: RowUnits): number {
  let bytes = units.byteLength + starts.byteLength;
  for (const partitionKey of partitionKeys.values()) bytes += 96 + partitionKey.length * 2;
  return bytes;
}
