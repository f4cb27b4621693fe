// Reads a table in stretches for one page: from remembered blocks of columns where the page has a filter, from SQLite
// elsewhere, and remembers what it reads. What the page makes of a stretch is page-builder.ts's business.

import type { EntityKey } from '../../model/entity.ts';
import { earlierBound, successorOf } from '../../model/key-range.ts';
import type { Filter } from '../../query/filter.ts';
import { matchColumns, propertiesOf } from '../../query/match.ts';
import type { Stretch } from '../page-builder.ts';
import type { Visit } from '../store.ts';
import type { TableBlocks } from './column-cache.ts';
import { buildBlock, indexOfKey, type RowBlock, readColumns } from './row-block.ts';
import { readRowUnits, visitOf } from './row-units.ts';
import { type EntityRow, keyOfRow, type TableRows } from './table-rows.ts';

/** Rows read at a time: few at first, since most queries want few. */
const firstRows = 32;
/** About a millisecond's work. */
const rowsMax = 256;
/** Rows read at a time hold about this much at most. */
const readBytesMax = 1 << 20;
/** A stretch with fewer rows is as soon read as remembered. */
const cachedRowsMin = 64;

export interface BlockReaderOptions {
  readonly tableId: number;
  readonly rows: TableRows;
  readonly blocks: TableBlocks;
  readonly filter: Filter | undefined;
  /** The key with which the page begins. */
  readonly start: EntityKey | undefined;
}

/** The range to read from, and how many entities will be of use at most. */
interface Wanted {
  readonly from: EntityKey;
  readonly before: EntityKey | undefined;
  readonly wanted: number;
}

export class BlockReader {
  readonly #options: BlockReaderOptions;
  readonly #names: ReadonlySet<string>;
  #rowsNext = firstRows;

  constructor(options: BlockReaderOptions) {
    this.#options = options;
    this.#names = options.filter ? propertiesOf(options.filter) : new Set();
  }

  /** The next stretch of a range: a remembered block, or some rows. */
  read(range: Wanted): Stretch {
    const { filter, blocks } = this.#options;
    if (!filter) return this.#readRows(range);
    const block = blocks.find(range.from);
    return block ? this.#readBlock(filter, this.#complete(block, range), range) : this.#selectRows(filter, range);
  }

  firstKey(from: EntityKey, before: EntityKey | undefined): EntityKey | undefined {
    const { rows, tableId } = this.#options;
    const [first] = rows.read(tableId, from, before, 1);
    return first && keyOfRow(first);
  }

  selects(row: EntityRow): boolean {
    const { filter } = this.#options;
    return !filter || matchColumns(filter, readColumns([row], this.#names), 1)[0] === 1;
  }

  /** Without a filter the index bounds the page: as many rows as it can hold. */
  #readRows({ from, before, wanted }: Wanted): Stretch {
    const { rows, tableId } = this.#options;
    const asked = Math.min(this.#rowsNext, wanted);
    const found = rows.readWithoutIds(tableId, from, before, asked);
    return this.#stretchOf(found, highOf(found, asked, before), undefined);
  }

  /** Reads on as far as the next remembered stretch, and remembers what it reads. */
  #selectRows(filter: Filter, { from, before }: Wanted): Stretch {
    const { rows, tableId, blocks } = this.#options;
    const asked = Math.min(this.#rowsNext, rowsMax);
    const bound = earlierBound(before, blocks.nextLow(from));
    const found = rows.read(tableId, from, bound, asked);
    const high = highOf(found, asked, bound);
    if (found.length < cachedRowsMin) return this.#stretchOf(found, high, this.#matching(filter, found));
    const block = buildBlock(found, { low: from, high, names: this.#names });
    blocks.put(block);
    return this.#stretchOf(found, high, matchColumns(filter, block.columns, found.length));
  }

  #readBlock(filter: Filter, block: RowBlock | undefined, range: Wanted): Stretch {
    if (!block) return this.#selectRows(filter, range);
    const { rows } = this.#options;
    const start = indexOfKey(block, range.from);
    const end = indexOfKey(block, range.before);
    // Another scan has joined what this one is half-way through: the rest is read once, and its keys are not worth keeping.
    if (start === undefined || end === undefined) return this.#readInside(filter, block, range);
    return {
      start,
      end,
      high: earlierBound(block.high, range.before),
      selected: matchColumns(filter, block.columns, block.ids.length),
      entityAt: (at) => {
        const row = rows.get(block.ids[at] as number);
        return row && rows.toRecord(row);
      },
      visitUpTo: (visitedEnd) => this.#visitOfBlock(block, start, visitedEnd),
    };
  }

  /** Reads from SQLite what a block holds already, to the end of the block at most. */
  #readInside(filter: Filter, block: RowBlock, { from, before }: Wanted): Stretch {
    const { rows, tableId } = this.#options;
    const asked = Math.min(this.#rowsNext, rowsMax);
    const bound = earlierBound(before, block.high);
    const found = rows.read(tableId, from, bound, asked);
    return this.#stretchOf(found, highOf(found, asked, bound), this.#matching(filter, found));
  }

  /**
   * The block with all columns that the filter looks at, and with its keys where the page begins or ends inside it: scans of
   * this stretch will come again. Undefined where the cache has no room for it.
   */
  #complete(block: RowBlock, { from, before }: Wanted): RowBlock | undefined {
    const { rows, tableId, blocks, start } = this.#options;
    const hasColumns = [...this.#names].every((name) => block.columns.has(name));
    const isEndUnknown = indexOfKey(block, before) === undefined;
    const isStartUnknown = from === start && indexOfKey(block, from) === undefined;
    if (hasColumns && !isEndUnknown && !isStartUnknown) return block;
    const { low, high, columns, ids, seams } = block;
    const keys = isEndUnknown || isStartUnknown ? ['PartitionKey', 'RowKey'] : [];
    const names = new Set([...columns.keys(), ...this.#names, ...keys]);
    blocks.put(buildBlock(rows.read(tableId, low, high, ids.length + 1), { low, high, names, seams }));
    return blocks.find(from);
  }

  #matching(filter: Filter, found: readonly EntityRow[]): Uint8Array {
    return matchColumns(filter, readColumns(found, this.#names), found.length);
  }

  #stretchOf(found: readonly EntityRow[], high: EntityKey | undefined, selected: Uint8Array | undefined): Stretch {
    const { rows } = this.#options;
    this.#rowsNext = rowsAfter(found);
    return {
      start: 0,
      end: found.length,
      high,
      selected,
      entityAt: (at) => found[at] && rows.toRecord(found[at]),
      visitUpTo: (end) => readRowUnits(found.slice(0, end)).whole,
    };
  }

  #visitOfBlock({ rowUnits, columns, ids }: RowBlock, start: number, end: number): Visit {
    if (start === 0 && end === ids.length) return rowUnits.whole;
    const { rows } = this.#options;
    const partitionKeys = columns.get('PartitionKey')?.texts;
    const readKey = (at: number): string => {
      const row = rows.get(ids[at] as number);
      return row ? keyOfRow(row).partitionKey : '';
    };
    const known = (at: number): string | undefined => rowUnits.partitionKeys.get(at) ?? partitionKeys?.[at];
    return visitOf(rowUnits, { start, end, keys: { known, at: (at) => known(at) ?? readKey(at) } });
  }
}

/** Where fewer rows came than were asked for, everything before the bound was looked at. */
function highOf(found: readonly EntityRow[], asked: number, bound: EntityKey | undefined): EntityKey | undefined {
  const last = found[asked - 1];
  if (!last) return bound;
  const { partitionKey, rowKey } = keyOfRow(last);
  return { partitionKey, rowKey: successorOf(rowKey) };
}

/** How many rows to read next, by the size of those before. */
function rowsAfter(rows: readonly EntityRow[]): number {
  let bytes = 0;
  for (const row of rows) bytes += row[5].length;
  const ofThisSize = Math.floor((readBytesMax * rows.length) / (bytes + 1));
  return Math.max(1, Math.min(rowsMax, ofThisSize, rows.length * 8));
}
