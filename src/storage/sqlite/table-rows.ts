import type { EntityKey, EntityRecord } from '../../model/entity.ts';
import { successorOf } from '../../model/key-range.ts';
import { createMomentTextFormat } from '../../model/ticks.ts';
import { decodeKeyPart, encodeKeyPart } from './key-order.ts';
import { type EntityRow, readPartitionRowText, readRowText } from './row-text.ts';
import type { Statements } from './statements.ts';

/** Reads rows of tables in key order. Rows are decoded only when a response needs them. */
export class TableRows {
  readonly #statements: Statements;
  readonly #share: () => void;
  readonly #formatMoment = createMomentTextFormat();

  /** `share` lets the reads of a turn share a transaction. */
  constructor(statements: Statements, share: () => void) {
    this.#statements = statements;
    this.#share = share;
  }

  /** At most `limit` rows from `from` (inclusive) to `before` (exclusive; undefined: the end of the table). */
  read(tableId: number, from: EntityKey, before: EntityKey | undefined, limit: number): EntityRow[] {
    this.#share();
    const { scanFrom, scanBetween } = this.#statements;
    const start = [encodeKeyPart(from.partitionKey), encodeKeyPart(from.rowKey)];
    if (!before) return (scanFrom.all(tableId, ...start, limit) as string[]).map(readRowText);
    const end = [encodeKeyPart(before.partitionKey), encodeKeyPart(before.rowKey)];
    return (scanBetween.all(tableId, ...start, ...end, limit) as string[]).map(readRowText);
  }

  /** As `read`, but with 0 for every id: cheaper for a range within one partition. */
  readWithoutIds(tableId: number, from: EntityKey, before: EntityKey | undefined, limit: number): EntityRow[] {
    const isWithin = before?.partitionKey === from.partitionKey;
    const isToEnd = before?.rowKey === '' && before.partitionKey === successorOf(from.partitionKey);
    if (!isWithin && !isToEnd) return this.read(tableId, from, before, limit);
    this.#share();
    const { readPartitionFrom, readPartitionBetween } = this.#statements;
    const partitionKey = encodeKeyPart(from.partitionKey);
    const start = encodeKeyPart(from.rowKey);
    const rows = isWithin
      ? readPartitionBetween.all(tableId, partitionKey, start, encodeKeyPart(before.rowKey), limit)
      : readPartitionFrom.all(tableId, partitionKey, start, limit);
    return (rows as string[]).map((text) => readPartitionRowText(text, partitionKey));
  }

  get(id: number): EntityRow | undefined {
    this.#share();
    return rowOf(this.#statements.getRow.get(id));
  }

  find(tableId: number, { partitionKey, rowKey }: EntityKey): EntityRow | undefined {
    this.#share();
    return rowOf(this.#statements.findRow.get(tableId, encodeKeyPart(partitionKey), encodeKeyPart(rowKey)));
  }

  toRecord([, partitionKey, rowKey, seconds, fraction, properties]: EntityRow): EntityRecord {
    return {
      partitionKey: decodeKeyPart(partitionKey),
      rowKey: decodeKeyPart(rowKey),
      timestamp: this.#formatMoment(seconds, fraction),
      properties,
    };
  }
}

const rowOf = (text: unknown): EntityRow | undefined => (text === undefined ? undefined : readRowText(text as string));

export function keyOfRow([, partitionKey, rowKey]: EntityRow): EntityKey {
  return { partitionKey: decodeKeyPart(partitionKey), rowKey: decodeKeyPart(rowKey) };
}
