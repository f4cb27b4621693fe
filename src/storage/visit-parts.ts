// Divides adjacent entities into the parts of a Visit, independent of the engine.

import type { Visit, VisitPart } from './store.ts';

/** A partition, or a part of a Visit, is large if it has at least one sixteenth of the units of the Visit. */
const largeParts = 16;

/** The units of adjacent entities, and where partitions begin among them. */
export interface UnitsByRow {
  /** Units of each entity. */
  readonly units: Uint16Array;
  /** Index of the first entity of each partition. */
  readonly starts: Uint16Array;
}

/** The keys of partitions, by the index of their first row. */
export interface PartitionKeys {
  /** Undefined if the key would have to be read. */
  readonly known: (start: number) => string | undefined;
  readonly at: (start: number) => string;
}

interface RowSpan {
  readonly start: number;
  readonly end: number;
  readonly keys: PartitionKeys;
}

/** Describes the rows from `start` (inclusive) to `end` (exclusive). */
export function visitOf(rows: UnitsByRow, { start, end, keys }: RowSpan): Visit {
  if (start >= end) return { partitionKey: '', entities: 0, units: 0, parts: [] };
  const first = rows.starts.findLastIndex((at) => at <= start);
  const held = unitsByPartition(rows, { start, end, first });
  let units = 0;
  for (const own of held) units += own;
  const isLarge = (own: number): boolean => own * largeParts >= units;
  const parts: { -readonly [Member in keyof VisitPart]: VisitPart[Member] }[] = [];
  for (let index = 0; index < held.length; index++) {
    const own = held[index] as number;
    const at = rows.starts[first + index] as number;
    const before = parts.at(-1);
    const partitionKey = isLarge(own) || !before ? keys.at(at) : isLarge(before.units) ? keys.known(at) : undefined;
    if (partitionKey !== undefined) parts.push({ partitionKey, units: own, partitionUnits: isLarge(own) ? own : 0 });
    else if (before) before.units += own;
  }
  return { partitionKey: parts[0]?.partitionKey ?? '', entities: end - start, units, parts };
}

function unitsByPartition(
  { units, starts }: UnitsByRow,
  { start, end, first }: { readonly start: number; readonly end: number; readonly first: number },
): number[] {
  const held: number[] = [];
  for (let partition = first; partition < starts.length && (starts[partition] as number) < end; partition++) {
    const before = Math.min(end, starts[partition + 1] ?? end);
    let own = 0;
    for (let at = Math.max(start, starts[partition] as number); at < before; at++) own += units[at] as number;
    held.push(own);
  }
  return held;
}
