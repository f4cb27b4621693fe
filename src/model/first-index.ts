/**
 * Returns the first index below `count` at which a condition holds, or `count` if the condition holds at no index. The
 * function uses binary search: if the condition holds at an index, it must also hold at all later indexes.
 */
export function firstIndex(count: number, holds: (at: number) => boolean): number {
  let [start, end] = [0, count];
  while (start < end) {
    const middle = (start + end) >>> 1;
    if (holds(middle)) end = middle;
    else start = middle + 1;
  }
  return start;
}
