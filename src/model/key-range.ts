import { compareKeys, type EntityKey } from './entity.ts';

/** A range of keys from `from` (inclusive) to `before` (exclusive). Without a bound, that side is unlimited. */
export interface KeyRange {
  readonly from?: EntityKey | undefined;
  readonly before?: EntityKey | undefined;
}

/** The next text in ordinal order, so that `> 'a'` is `>= successorOf('a')`. */
export function successorOf(text: string): string {
  return `${text}\u0000`;
}

/** The first key after every key of a partition. */
export function endOfPartition(partitionKey: string): EntityKey {
  return { partitionKey: successorOf(partitionKey), rowKey: '' };
}

export function intersectRanges(a: KeyRange, b: KeyRange): KeyRange {
  return { from: later(a.from, b.from), before: earlierBound(a.before, b.before) };
}

export function isInRange(key: EntityKey, { from, before }: KeyRange): boolean {
  return (!from || compareKeys(key, from) >= 0) && (!before || compareKeys(key, before) < 0);
}

export function isEmptyRange({ from, before }: KeyRange): boolean {
  if (!before) return false;
  return compareKeys(from ?? firstKey, before) >= 0;
}

/** The smallest key. */
export const firstKey: EntityKey = Object.freeze({ partitionKey: '', rowKey: '' });

function later(a: EntityKey | undefined, b: EntityKey | undefined): EntityKey | undefined {
  if (!a || !b) return a ?? b;
  return compareKeys(a, b) >= 0 ? a : b;
}

/** The narrower of two upper bounds. */
export function earlierBound(a: EntityKey | undefined, b: EntityKey | undefined): EntityKey | undefined {
  if (!a || !b) return a ?? b;
  return compareKeys(a, b) <= 0 ? a : b;
}
