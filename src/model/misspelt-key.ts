/** What to say where one of the names is that of a key in another case: it names a property, and no entity has it. */
export function misspeltKey(names: Iterable<string>): string | undefined {
  for (const name of names) {
    const key = keys.find((key) => key !== name && key.toLowerCase() === name.toLowerCase());
    if (key !== undefined) return `${name} is not ${key}: case counts`;
  }
  return undefined;
}

const keys = ['PartitionKey', 'RowKey'];
