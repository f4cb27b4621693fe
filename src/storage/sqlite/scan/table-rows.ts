import type { EntityKey, EntityRecord } from '../../../model/entity.ts';
import { successorOf } from '../../../model/key-range.ts';
import type { PropertiesText } from '../../../model/properties.ts';
import { createMomentTextFormat } from '../../../model/ticks.ts';
import { decodeKeyPart, encodeKeyPart } from '../file/key-order.ts';
import { type ReadRow, readPartitionRowText, readRowText } from '../file/row-text.ts';
import type { Statements } from '../file/statements.ts';

/** Reads rows of tables in key order. Rows are decoded only when a response needs them. */
export class TableRows {
  readonly #share: () => Statements;
  readonly #formatMoment = createMomentTextFormat();

  /** `share` returns the statements for reads, and lets the reads of a turn share a transaction. */
  constructor(share: () => Statements) {
    this.#share = share;
  }

  /** Reads at most `limit` rows from `from` (inclusive) to `before` (exclusive; undefined: the end of the table). */
  read(tableId: number, from: EntityKey, before: EntityKey | undefined, limit: number): ReadRow[] {
    const { scanFrom, scanBetween } = this.#share();
    const start = [encodeKeyPart(from.partitionKey), encodeKeyPart(from.rowKey)];
    if (!before) return (scanFrom.all(tableId, ...start, limit) as string[]).map(readRowText);
    const end = [encodeKeyPart(before.partitionKey), encodeKeyPart(before.rowKey)];
    return (scanBetween.all(tableId, ...start, ...end, limit) as string[]).map(readRowText);
  }

  /** Like `read`, but every id may be 0. This is cheaper for a range within one partition. */
  readWithoutIds(tableId: number, from: EntityKey, before: EntityKey | undefined, limit: number): ReadRow[] {
    const isWithin = before?.partitionKey === from.partitionKey;
    const isToEnd = before?.rowKey === '' && before.partitionKey === successorOf(from.partitionKey);
    if (!isWithin && !isToEnd) return this.read(tableId, from, before, limit);
    const { readPartitionFrom, readPartitionBetween } = this.#share();
    const partitionKey = encodeKeyPart(from.partitionKey);
    const start = encodeKeyPart(from.rowKey);
    const rows = isWithin
      ? readPartitionBetween.all(tableId, partitionKey, start, encodeKeyPart(before.rowKey), limit)
      : readPartitionFrom.all(tableId, partitionKey, start, limit);
    return (rows as string[]).map((text) => readPartitionRowText(text, partitionKey));
  }

  get(id: number): ReadRow | undefined {
    return rowOf(this.#share().getRow.get(id));
  }

  find(tableId: number, { partitionKey, rowKey }: EntityKey): ReadRow | undefined {
    return rowOf(this.#share().findRow.get(tableId, encodeKeyPart(partitionKey), encodeKeyPart(rowKey)));
  }

  toRecord({ partitionKey, rowKey, seconds, fraction, properties }: ReadRow): EntityRecord {
    return new ReadEntity(
      decodeKeyPart(partitionKey),
      decodeKeyPart(rowKey),
      this.#formatMoment(seconds, fraction),
      properties,
    );
  }
}

/** A class for the same reason as `ReadRow`. */
class ReadEntity implements EntityRecord {
  readonly partitionKey: string;
  readonly rowKey: string;
  readonly timestamp: string;
  readonly properties: PropertiesText;

  constructor(partitionKey: string, rowKey: string, timestamp: string, properties: PropertiesText) {
    this.partitionKey = partitionKey;
    this.rowKey = rowKey;
    this.timestamp = timestamp;
    this.properties = properties;
  }
}

const rowOf = (text: unknown): ReadRow | undefined => (text === undefined ? undefined : readRowText(text as string));

export function keyOfRow({ partitionKey, rowKey }: ReadRow): EntityKey {
  return { partitionKey: decodeKeyPart(partitionKey), rowKey: decodeKeyPart(rowKey) };
}
