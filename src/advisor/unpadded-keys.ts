/**
 * Whether at least `least` distinct keys are all numbers, but not all of the same length. Such keys do not sort as
 * numbers.
 */
export function areUnpadded(keys: readonly string[], least: number): boolean {
  const lengths = new Set(keys.map(({ length }) => length));
  return keys.length >= least && lengths.size > 1 && keys.every((key) => /^\d+$/.test(key));
}
