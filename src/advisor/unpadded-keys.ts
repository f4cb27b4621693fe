/**
 * Whether all of these distinct keys are numbers that do not sort as numbers, because their lengths differ. False if
 * there are fewer than `least` keys.
 */
export function areUnpadded(keys: readonly string[], least: number): boolean {
  const lengths = new Set(keys.map(({ length }) => length));
  return keys.length >= least && lengths.size > 1 && keys.every((key) => /^\d+$/.test(key));
}
