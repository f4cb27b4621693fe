/** Returns a hint if one of the names differs from `PartitionKey` or `RowKey` only in letter case. */
export function misspeltKey(names: Iterable<string>): string | undefined {
  for (const name of names) {
    const key = keys.find((key) => key !== name && key.toLowerCase() === name.toLowerCase());
    if (key !== undefined) return `${name} is not ${key}: case counts`;
  }
  return undefined;
}

const keys = ['PartitionKey', 'RowKey'];
