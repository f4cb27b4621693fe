// Reads the entities of one page in stretches of adjacent entities. page-builder.ts uses the stretches. For a page with
// a filter, columns come from cached blocks. Columns that are not cached yet are read from SQLite and then cached.

import type { EntityKey } from '../../../model/entity.ts';
import { earlierBound, successorOf } from '../../../model/key-range.ts';
import type { Column } from '../../../query/column.ts';
import { type Matcher, matcherOf, propertiesOf } from '../../../query/match.ts';
import type { Stretch } from '../../page-builder.ts';
import type { ScanRequest, Visit } from '../../store.ts';
import { visitOf } from '../../visit-parts.ts';
import type { ReadRow } from '../file/row-text.ts';
import type { TableBlocks } from './column-cache.ts';
import { buildBlock, indexOfKey, type RowBlock, readColumns } from './row-block.ts';
import { visitOfRows } from './row-units.ts';
import { keyOfRow, type TableRows } from './table-rows.ts';

/** Rows read the first time: few, because most queries need only few rows. */
const firstRows = 32;
/** The most rows read at a time: about a millisecond of work. */
const rowsMax = 256;
/** Approximate maximum size of the rows read at a time. */
const readBytesMax = 1 << 20;
/**
 * The least number of rows that are worth caching: reading a smaller stretch again costs less than caching it. A
 * smaller stretch is cached only if it adjoins a cached block.
 */
const cachedRowsMin = 64;

export interface ReadTable {
  readonly tableId: number;
  readonly rows: TableRows;
  readonly blocks: TableBlocks;
}

export interface BlockReaderOptions extends Pick<ScanRequest, 'filter' | 'onColumns'> {
  /** The key with which the page begins. */
  readonly start: EntityKey | undefined;
}

/** The range to read from, and how many entities the page can use at most. */
interface Wanted {
  readonly from: EntityKey;
  readonly before: EntityKey | undefined;
  readonly wanted: number;
}

/** The result of reading rows. */
interface ReadRows extends Pick<Stretch, 'high' | 'selected'> {
  /** The number of rows that were requested. */
  readonly asked: number;
}

export class BlockReader {
  readonly #table: ReadTable;
  /** Undefined if every entity is selected. */
  readonly #match: Matcher | undefined;
  readonly #onColumns: BlockReaderOptions['onColumns'];
  readonly #start: EntityKey | undefined;
  readonly #names: ReadonlySet<string>;
  #rowsNext = firstRows;

  constructor(table: ReadTable, { filter, onColumns, start }: BlockReaderOptions) {
    this.#table = table;
    this.#match = filter && matcherOf(filter);
    this.#onColumns = onColumns;
    this.#start = start;
    this.#names = filter ? propertiesOf(filter) : noNames;
  }

  /** The next stretch of a range: a cached block, or some rows. */
  read(range: Wanted): Stretch {
    const match = this.#match;
    if (!match) return this.#readRows(range);
    const block = this.#table.blocks.find(range.from);
    return block ? this.#readBlock(match, this.#complete(block, range), range) : this.#selectRows(match, range);
  }

  firstKey(from: EntityKey, before: EntityKey | undefined): EntityKey | undefined {
    const { rows, tableId } = this.#table;
    const [first] = rows.read(tableId, from, before, 1);
    return first && keyOfRow(first);
  }

  selects(row: ReadRow): boolean {
    return !this.#match || this.#matching(this.#match, [row])[0] === 1;
  }

  /** Without a filter every row belongs to the page, so it reads no more than the page can use. */
  #readRows({ from, before, wanted }: Wanted): Stretch {
    const { rows, tableId } = this.#table;
    const asked = Math.min(this.#rowsNext, wanted);
    const found = rows.readWithoutIds(tableId, from, before, asked);
    return this.#stretchOf(found, { asked, high: highOf(found, asked, before), selected: undefined });
  }

  /** Reads up to the next cached block, and caches what it read. */
  #selectRows(match: Matcher, { from, before }: Wanted): Stretch {
    const { rows, tableId, blocks } = this.#table;
    const asked = Math.min(this.#rowsNext, rowsMax);
    const bound = earlierBound(before, blocks.nextLow(from));
    const found = rows.read(tableId, from, bound, asked);
    const high = highOf(found, asked, bound);
    if (found.length < cachedRowsMin && !blocks.hasNeighbour({ low: from, high })) {
      return this.#stretchOf(found, { asked, high, selected: this.#matching(match, found) });
    }
    const block = buildBlock(found, { low: from, high, names: this.#names });
    blocks.put(block);
    return this.#stretchOf(found, { asked, high, selected: this.#select(match, block.columns, found.length) });
  }

  #readBlock(match: Matcher, block: RowBlock | undefined, range: Wanted): Stretch {
    if (!block) return this.#selectRows(match, range);
    const { rows } = this.#table;
    const start = indexOfKey(block, range.from);
    const end = indexOfKey(block, range.before);
    // The index of a key is unknown if another scan has joined the block to its neighbour. In that case, reads the rest
    // of the block from SQLite once, without caching the keys.
    if (start === undefined || end === undefined) return this.#readInside(match, block, range);
    return {
      start,
      end,
      high: earlierBound(block.high, range.before),
      selected: this.#select(match, block.columns, block.ids.length),
      entityAt: (at) => {
        const row = rows.get(block.ids[at] as number);
        return row && rows.toRecord(row);
      },
      visitUpTo: (visitedEnd) => this.#visitOfBlock(block, start, visitedEnd),
    };
  }

  /** Reads rows of a cached block from SQLite, up to the end of the block. */
  #readInside(match: Matcher, block: RowBlock, { from, before }: Wanted): Stretch {
    const { rows, tableId } = this.#table;
    const asked = Math.min(this.#rowsNext, rowsMax);
    const bound = earlierBound(before, block.high);
    const found = rows.read(tableId, from, bound, asked);
    return this.#stretchOf(found, {
      asked,
      high: highOf(found, asked, bound),
      selected: this.#matching(match, found),
    });
  }

  /**
   * Returns the block with all columns of the filter. If the page begins or ends at an unknown index of the block, also
   * adds the columns of the keys, because more scans of this range are likely. Returns undefined if the block does not
   * fit in the cache.
   */
  #complete(block: RowBlock, { from, before }: Wanted): RowBlock | undefined {
    const { rows, tableId, blocks } = this.#table;
    const isEndUnknown = indexOfKey(block, before) === undefined;
    const isStartUnknown = from === this.#start && indexOfKey(block, from) === undefined;
    if (!isEndUnknown && !isStartUnknown && hasAll(block.columns, this.#names)) return block;
    const { low, high, columns, ids, knownKeys } = block;
    const keys = isEndUnknown || isStartUnknown ? ['PartitionKey', 'RowKey'] : [];
    const names = new Set([...columns.keys(), ...this.#names, ...keys]);
    blocks.put(buildBlock(rows.read(tableId, low, high, ids.length + 1), { low, high, names, knownKeys }));
    return blocks.find(from);
  }

  #matching(match: Matcher, found: readonly ReadRow[]): Uint8Array {
    return this.#select(match, readColumns(found, this.#names), found.length);
  }

  #select(match: Matcher, columns: ReadonlyMap<string, Column>, count: number): Uint8Array {
    this.#onColumns?.(columns);
    return match(columns, count);
  }

  #stretchOf(found: readonly ReadRow[], { asked, high, selected }: ReadRows): Stretch {
    const { rows } = this.#table;
    this.#rowsNext = rowsAfter(found, asked);
    return {
      start: 0,
      end: found.length,
      high,
      selected,
      entityAt: (at) => found[at] && rows.toRecord(found[at]),
      visitUpTo: (end) => visitOfRows(found, end),
    };
  }

  #visitOfBlock({ rowUnits, columns, ids }: RowBlock, start: number, end: number): Visit {
    if (start === 0 && end === ids.length) return rowUnits.whole;
    const { rows } = this.#table;
    const partitionKeys = columns.get('PartitionKey')?.texts;
    const readKey = (at: number): string => {
      const row = rows.get(ids[at] as number);
      return row ? keyOfRow(row).partitionKey : '';
    };
    const known = (at: number): string | undefined => rowUnits.partitionKeys.get(at) ?? partitionKeys?.[at];
    return visitOf(rowUnits, { start, end, keys: { known, at: (at) => known(at) ?? readKey(at) } });
  }
}

function hasAll(columns: ReadonlyMap<string, unknown>, names: ReadonlySet<string>): boolean {
  for (const name of names) if (!columns.has(name)) return false;
  return true;
}

const noNames: ReadonlySet<string> = new Set();

/**
 * Returns the key before which everything has been read. If fewer rows were found than requested, this key is `bound`.
 * Otherwise, this key is the successor of the last key that was read.
 */
function highOf(found: readonly ReadRow[], asked: number, bound: EntityKey | undefined): EntityKey | undefined {
  const last = found[asked - 1];
  if (!last) return bound;
  const { partitionKey, rowKey } = keyOfRow(last);
  return { partitionKey, rowKey: successorOf(rowKey) };
}

/** How many rows to read next: more each time, within bounds that depend on the size of earlier rows. */
function rowsAfter(rows: readonly ReadRow[], asked: number): number {
  if (rows.length === 0) return asked;
  let bytes = 0;
  for (const row of rows) bytes += row.properties.length;
  const ofThisSize = Math.floor((readBytesMax * rows.length) / (bytes + 1));
  return Math.max(1, Math.min(rowsMax, ofThisSize, Math.max(asked, rows.length * 8)));
}
