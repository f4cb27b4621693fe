/** A partition of a table. */
export interface PartitionName {
  readonly table: string;
  readonly partitionKey: string;
}

/** Table names hold no slash, so the first one ends them. */
export function partitionName(table: string, partitionKey: string): string {
  return `${table}/${partitionKey}`;
}

/** Whatever the case in which the table was named. */
export function isOfTable(partition: string, table: string): boolean {
  return (
    partition.charAt(table.length) === '/' && partition.slice(0, table.length).toLowerCase() === table.toLowerCase()
  );
}

export function readPartitionName(name: string): PartitionName {
  const slash = name.indexOf('/');
  return { table: name.slice(0, slash), partitionKey: name.slice(slash + 1) };
}
