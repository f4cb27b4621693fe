/** A hint if one of the names is `PartitionKey` or `RowKey` in different letter case. No entity has such a property. */
export function misspeltKey(names: Iterable<string>): string | undefined {
  for (const name of names) {
    const key = keys.find((key) => key !== name && key.toLowerCase() === name.toLowerCase());
    if (key !== undefined) return `${name} is not ${key}: case counts`;
  }
  return undefined;
}

const keys = ['PartitionKey', 'RowKey'];
