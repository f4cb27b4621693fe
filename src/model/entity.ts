import type { Properties, PropertiesText } from './properties.ts';

export interface EntityKey {
  readonly partitionKey: string;
  readonly rowKey: string;
}

/** An entity to write: typed values, without system properties. */
export interface Entity extends EntityKey {
  readonly properties: Properties;
}

/** A stored entity. */
export interface EntityRecord extends EntityKey {
  /** Time of the last write, without trailing zeros: `2024-05-01T10:00:01.123456Z`. The ETag derives from it. */
  readonly timestamp: string;
  readonly properties: PropertiesText;
}

/** Ordinal order by PartitionKey, then RowKey: UTF-16 code units, as JavaScript compares strings. */
export function compareKeys(a: EntityKey, b: EntityKey): number {
  if (a.partitionKey !== b.partitionKey) return a.partitionKey < b.partitionKey ? -1 : 1;
  if (a.rowKey !== b.rowKey) return a.rowKey < b.rowKey ? -1 : 1;
  return 0;
}
