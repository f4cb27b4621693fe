/** A partition of a table. */
export interface PartitionName {
  readonly table: string;
  readonly partitionKey: string;
}

/** Table names do not contain a slash, so the first one ends the name. */
export function partitionName(table: string, partitionKey: string): string {
  return `${table}/${partitionKey}`;
}

export function parsePartitionName(name: string): PartitionName {
  const slash = name.indexOf('/');
  return { table: name.slice(0, slash), partitionKey: name.slice(slash + 1) };
}

/** Ignores the case of the table's name. */
export function isOfTable(partition: string, table: string): boolean {
  return (
    partition.charAt(table.length) === '/' && partition.slice(0, table.length).toLowerCase() === table.toLowerCase()
  );
}
