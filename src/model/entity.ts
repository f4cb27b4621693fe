import type { Properties, PropertiesText } from './properties.ts';

export interface EntityKey {
  readonly partitionKey: string;
  readonly rowKey: string;
}

/** An entity as it is written: typed values, the system properties apart. */
export interface Entity extends EntityKey {
  readonly properties: Properties;
}

/** An entity as it is read. */
export interface EntityRecord extends EntityKey {
  /** Time of the last write, 100-ns digits trimmed: `2024-05-01T10:00:01.123456Z`. The ETag is made from it. */
  readonly timestamp: string;
  readonly properties: PropertiesText;
}

/** Ordinal order by PartitionKey, then RowKey: UTF-16 code units, as JavaScript compares strings. */
export function compareKeys(a: EntityKey, b: EntityKey): number {
  if (a.partitionKey !== b.partitionKey) return a.partitionKey < b.partitionKey ? -1 : 1;
  if (a.rowKey !== b.rowKey) return a.rowKey < b.rowKey ? -1 : 1;
  return 0;
}
