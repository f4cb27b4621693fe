/**
 * Binary search: the first index below `count` at which a condition holds; `count` if there is none. The condition must
 * hold at all later indexes too.
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
