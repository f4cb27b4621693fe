// Reads the rows of one page, in key order. A fetch may return more rows than one step of the page needs, but the size
// of each fetch is limited. A page therefore takes only a few round trips to the database, and a bounded amount of
// memory.

import { compareKeys, type EntityKey } from '../../model/entity.ts';
import { firstIndex } from '../../model/first-index.ts';
import { earlierBound, endOfPartition, successorOf } from '../../model/key-range.ts';
import type { Row, Values } from './database.ts';
import { decodeKeyBytes, encodeKeyBytes } from './key-bytes.ts';
import type { PostgresStatements, Statement } from './statements.ts';

/** A row of `entities`. */
export interface StoredRow extends EntityKey {
  /** As PostgreSQL writes a bigint. */
  readonly ticks: string;
  readonly properties: string;
}

export interface FetchSize {
  readonly rows: number;
  /** No more rows are fetched once their properties exceed this size, but always two if the range has two. */
  readonly bytes: number;
}

/** Adjacent rows of a table. */
export interface RowStretch {
  readonly rows: readonly StoredRow[];
  /** First key after the rows; undefined at the end of the range. */
  readonly high: EntityKey | undefined;
}

/** Runs a statement that reads. */
export type Read = (statement: Statement, values: Values) => Promise<readonly Row[]>;

export interface PageRowsOptions {
  readonly statements: PostgresStatements;
  /** The parameters that identify the table in statements: its account and lookup name, or over Citus its id. */
  readonly table: Values;
}

export class PageRows {
  readonly #read: Read;
  readonly #statements: PostgresStatements;
  readonly #table: Values;
  /**
   * The fetched rows: all from `#low` (inclusive) to `#high` (exclusive), or to the end of the table if `#high` is
   * undefined.
   */
  #rows: readonly StoredRow[] = [];
  #low: EntityKey | undefined;
  #high: EntityKey | undefined;

  constructor(read: Read, { statements, table }: PageRowsOptions) {
    this.#read = read;
    this.#statements = statements;
    this.#table = table;
  }

  /** Whether the rows at a key are already fetched. */
  holds(key: EntityKey): boolean {
    if (!this.#low || compareKeys(key, this.#low) < 0) return false;
    return !this.#high || compareKeys(key, this.#high) < 0;
  }

  /** Returns at most `rowsMax` of the fetched rows. They must include `from`: see `holds`. */
  take(from: EntityKey, before: EntityKey | undefined, rowsMax: number): RowStretch {
    const start = this.#indexOf(from);
    const end = Math.min(before ? this.#indexOf(before) : this.#rows.length, start + rowsMax);
    const next = this.#rows[end];
    const high = next ? earlierBound(keyOf(next), before) : earlierBound(this.#high, before);
    return { rows: this.#rows.slice(start, end), high };
  }

  async fetch(from: EntityKey, before: EntityKey | undefined, size: FetchSize): Promise<void> {
    const rows = await this.#select(from, before, size);
    let bytes = 0;
    for (const { properties } of rows) bytes += properties.length;
    const isAll = rows.length < size.rows && (bytes <= size.bytes || rows.length < 2);
    const last = rows.at(-1);
    this.#rows = rows;
    this.#low = from;
    this.#high = isAll || !last ? before : { partitionKey: last.partitionKey, rowKey: successorOf(last.rowKey) };
  }

  async #select(from: EntityKey, before: EntityKey | undefined, size: FetchSize): Promise<readonly StoredRow[]> {
    const { scanFrom, scanBetween, scanPartitionFrom, scanPartitionBetween } = this.#statements;
    const { partitionKey } = from;
    const start = [encodeKeyBytes(partitionKey), encodeKeyBytes(from.rowKey)] as const;
    const rest = [size.rows, size.bytes, ...this.#table] as const;
    if (!before) return (await this.#read(scanFrom, [...start, ...rest])).map(readRow);
    const end = [encodeKeyBytes(before.partitionKey), encodeKeyBytes(before.rowKey)] as const;
    const isWhole = compareKeys(before, endOfPartition(partitionKey)) === 0;
    if (!isWhole && before.partitionKey !== partitionKey) {
      return (await this.#read(scanBetween, [...start, ...end, ...rest])).map(readRow);
    }
    const rows = isWhole
      ? await this.#read(scanPartitionFrom, [...start, ...rest])
      : await this.#read(scanPartitionBetween, [...start, end[1], ...rest]);
    return rows.map((row) => readPartitionRow(row, partitionKey));
  }

  /** Index of the first row at or after a key. */
  #indexOf(key: EntityKey): number {
    const rows = this.#rows;
    return firstIndex(rows.length, (at) => compareKeys(rows[at] as StoredRow, key) >= 0);
  }
}

const keyOf = ({ partitionKey, rowKey }: EntityKey): EntityKey => ({ partitionKey, rowKey });

function readRow([ticks, partitionKey, rowKey, properties]: Row): StoredRow {
  return {
    partitionKey: decodeKeyBytes(partitionKey as string),
    rowKey: decodeKeyBytes(rowKey as string),
    ticks: ticks as string,
    properties: properties as string,
  };
}

function readPartitionRow([ticks, rowKey, properties]: Row, partitionKey: string): StoredRow {
  return {
    partitionKey,
    rowKey: decodeKeyBytes(rowKey as string),
    ticks: ticks as string,
    properties: properties as string,
  };
}
