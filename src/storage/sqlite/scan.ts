// One page being read, maybe over several turns of the event loop, between which others write. The page is a snapshot
// all the same, of the moment in which it ends: what is committed behind the cursor is looked at again before the scan
// goes on, so that at any time the matches are those of the keys passed so far, as they are now. No read transaction
// stays open, so the write-ahead log never grows because of a scan, and memory works as a file does (docs/adr/0005).

import { compareKeys, type EntityKey, type EntityRecord } from '../../model/entity.ts';
import { earlierBound, endOfPartition, firstKey, isEmptyRange, successorOf } from '../../model/key-range.ts';
import type { Filter } from '../../query/filter.ts';
import { matchColumns, propertiesOf } from '../../query/match.ts';
import type { PageEnd } from '../../query/report.ts';
import type { ScanPage, ScanRequest, Visit } from '../store.ts';
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

export interface ScanTools {
  readonly tableId: number;
  readonly rows: TableRows;
  readonly blocks: TableBlocks;
  /** Milliseconds, ever increasing. */
  readonly nowMs: () => number;
}

export class Scan {
  readonly tableId: number;
  readonly #request: ScanRequest;
  readonly #tools: ScanTools;
  readonly #filter: Filter | undefined;
  readonly #names: ReadonlySet<string>;
  readonly #giveUpAtMs: number;
  readonly #matches: EntityRecord[] = [];
  /** Written behind the cursor since the last step. */
  readonly #changed: EntityKey[] = [];
  /** The next key to look at; all before it are done. */
  #cursor: EntityKey;
  #before: EntityKey | undefined;
  #bytes = 0;
  #visited = 0;
  #rowsNext = firstRows;
  /** The partition with which the page ends, once it is known. */
  #partitionKey: string | undefined;
  /** Whether the page is to end with what was visited. */
  #isSpent = false;
  #isAtEnd: boolean;

  constructor(request: ScanRequest, tools: ScanTools) {
    this.tableId = tools.tableId;
    this.#request = request;
    this.#tools = tools;
    this.#filter = request.filter;
    this.#names = request.filter ? propertiesOf(request.filter) : new Set();
    this.#giveUpAtMs = tools.nowMs() + request.timeMsMax;
    this.#cursor = request.range.from ?? firstKey;
    this.#before = beforeOf(request);
    this.#isAtEnd = isEmptyRange(request.range);
  }

  /** Goes on until the page is complete or the time has come, and gives the page in the first case. */
  advance(untilMs: number): ScanPage | undefined {
    if (this.#request.isAbandoned?.()) return this.#page('time', this.#cursor);
    for (const key of this.#changed.splice(0)) this.#lookAgain(key);
    for (;;) {
      if (this.#isFull()) return this.#fullPage();
      if (this.#isAtEnd) return this.#lastPage();
      // At its limit the page goes on looking whether more would come, which is not the query's doing.
      if (this.#isSpent && this.#matches.length < this.#request.limit) return this.#spentPage();
      const now = this.#tools.nowMs();
      if (now >= this.#giveUpAtMs) return this.#page('time', this.#cursor);
      if (now >= untilMs) return undefined;
      this.#readOn();
    }
  }

  /** Tells of a committed write to the table. */
  noteChange(key: EntityKey): void {
    const { from } = this.#request.range;
    const isPassed = compareKeys(key, this.#cursor) < 0;
    if (isPassed && (!from || compareKeys(key, from) >= 0)) this.#changed.push(key);
  }

  /** Ends the page with a partition, which may be one that has come up behind the cursor. */
  #endWith({ partitionKey }: EntityKey): void {
    const end = endOfPartition(partitionKey);
    this.#partitionKey ??= partitionKey;
    if (this.#before && compareKeys(this.#before, end) <= 0) return;
    this.#partitionKey = partitionKey;
    this.#before = end;
    while (this.#matches.length > this.#placeOf(end)) this.#remove(this.#matches.length - 1);
    if (compareKeys(this.#cursor, end) >= 0) this.#isAtEnd = true;
  }

  #isFull(): boolean {
    return (
      this.#matches.length > this.#request.limit || (this.#matches.length > 1 && this.#bytes > this.#request.bytesMax)
    );
  }

  #readOn(): void {
    if (this.#request.endsAtPartition && this.#partitionKey === undefined) {
      const [first] = this.#tools.rows.read(this.tableId, this.#cursor, this.#before, 1);
      if (first) this.#endWith(keyOfRow(first));
    }
    const block = this.#filter && this.#tools.blocks.find(this.#cursor);
    if (!block) {
      this.#passRows(undefined);
      return;
    }
    const hasColumns = [...this.#names].every((name) => block.columns.has(name));
    const start = indexOfKey(block, this.#cursor);
    const end = indexOfKey(block, this.#before);
    if (hasColumns && start !== undefined && end !== undefined) this.#passBlock(block, start, end);
    else if (!hasColumns || this.#isBoundInside(start, end)) this.#rebuild(block, start, end);
    // Another scan has joined what this one was half-way through: the rest is read once, and keys are not worth keeping.
    else this.#passRows(block);
  }

  /** Whether the scan begins or ends at a key that the block cannot place: scans of this stretch will come again. */
  #isBoundInside(start: number | undefined, end: number | undefined): boolean {
    return end === undefined || (start === undefined && this.#cursor === this.#request.range.from);
  }

  #passBlock(block: RowBlock, start: number, end: number): void {
    const selected = matchColumns(this.#filter as Filter, block.columns, block.ids.length);
    const rowAt = (at: number) => this.#tools.rows.get(block.ids[at] as number);
    const visited = this.#take(selected, { start, end, rowAt });
    this.#moveTo(earlierBound(block.high, this.#before));
    if (visited > start) this.#tell(() => this.#visitOfBlock(block, start, visited));
  }

  /** Reads a remembered stretch again for columns it lacks; its keys too, when the scan begins or ends inside it. */
  #rebuild({ low, high, columns, ids, seams }: RowBlock, start: number | undefined, end: number | undefined): void {
    const { rows, blocks } = this.#tools;
    const keys = this.#isBoundInside(start, end) ? ['PartitionKey', 'RowKey'] : [];
    const names = new Set([...columns.keys(), ...this.#names, ...keys]);
    const found = rows.read(this.tableId, low, high, ids.length + 1);
    blocks.put(buildBlock(found, { low, high, names, seams }));
    // Where the cache did not take it, the stretch is read as if it had never been there.
    if (blocks.find(this.#cursor) === undefined) this.#passRows(undefined);
  }

  /** Reads on from SQLite, as far as the next remembered stretch, or to the end of the one it is inside. */
  #passRows(inside: RowBlock | undefined): void {
    const { rows, blocks } = this.#tools;
    const low = this.#cursor;
    const bound = inside ? inside.high : blocks.nextLow(low);
    const before = this.#filter ? earlierBound(this.#before, bound) : this.#before;
    const asked = Math.min(this.#rowsNext, this.#filter ? rowsMax : this.#request.limit + 1 - this.#matches.length);
    const found = this.#filter
      ? rows.read(this.tableId, low, before, asked)
      : rows.readWithoutIds(this.tableId, low, before, asked);
    const last = found[asked - 1];
    const high = last ? afterKey(keyOfRow(last)) : before;
    const selected = this.#filter && this.#select(this.#filter, found, { low, high, isKept: !inside });
    const visited = this.#take(selected, { start: 0, end: found.length, rowAt: (at) => found[at] });
    this.#moveTo(high);
    if (visited > 0) this.#tell(() => readRowUnits(found.slice(0, visited)).whole);
    this.#rowsNext = rowsAfter(found);
  }

  #select(
    filter: Filter,
    rows: readonly EntityRow[],
    { low, high, isKept }: Pick<RowBlock, 'low' | 'high'> & { readonly isKept: boolean },
  ): Uint8Array {
    if (!isKept || rows.length < cachedRowsMin) {
      return matchColumns(filter, readColumns(rows, this.#names), rows.length);
    }
    const block = buildBlock(rows, { low, high, names: this.#names });
    this.#tools.blocks.put(block);
    return matchColumns(filter, block.columns, rows.length);
  }

  /** Takes what is selected, until the page is full; without a selection, everything. Gives the end of what it visited. */
  #take(
    selected: Uint8Array | undefined,
    { start, end, rowAt }: { start: number; end: number; rowAt: (at: number) => EntityRow | undefined },
  ): number {
    let counted = end;
    // Looking whether anything more would come is not the query's doing.
    if (this.#matches.length >= this.#request.limit) counted = start;
    for (let at = nextSelected(selected, start); at < end && !this.#isFull(); at = nextSelected(selected, at + 1)) {
      const row = rowAt(at);
      if (row) this.#add(this.#matches.length, this.#tools.rows.toRecord(row));
      if (this.#isFull()) counted = Math.min(counted, at);
      else if (this.#matches.length === this.#request.limit) counted = Math.min(counted, at + 1);
    }
    this.#visited += counted - start;
    return counted;
  }

  #tell(visit: () => Visit): void {
    const { onVisit } = this.#request;
    if (onVisit && !onVisit(visit())) this.#isSpent = true;
  }

  #visitOfBlock({ rowUnits, columns, ids }: RowBlock, start: number, end: number): Visit {
    if (start === 0 && end === ids.length) return rowUnits.whole;
    const partitionKeys = columns.get('PartitionKey')?.texts;
    const readKey = (at: number) => {
      const row = this.#tools.rows.get(ids[at] as number);
      return row ? keyOfRow(row).partitionKey : '';
    };
    const known = (at: number) => rowUnits.partitionKeys.get(at) ?? partitionKeys?.[at];
    return visitOf(rowUnits, { start, end, keys: { known, at: (at) => known(at) ?? readKey(at) } });
  }

  #moveTo(key: EntityKey | undefined): void {
    if (!key || (this.#before && compareKeys(key, this.#before) >= 0)) this.#isAtEnd = true;
    else this.#cursor = key;
  }

  #lookAgain(key: EntityKey): void {
    const row = this.#tools.rows.find(this.tableId, key);
    if (row && this.#request.endsAtPartition) this.#endWith(key);
    if (this.#before && compareKeys(key, this.#before) >= 0) return;
    const at = this.#placeOf(key);
    const there = this.#matches[at];
    if (there && compareKeys(there, key) === 0) this.#remove(at);
    const isSelected =
      row && (!this.#filter || matchColumns(this.#filter, readColumns([row], this.#names), 1)[0] === 1);
    if (isSelected) this.#add(at, this.#tools.rows.toRecord(row));
  }

  #placeOf(key: EntityKey): number {
    let [start, end] = [0, this.#matches.length];
    while (start < end) {
      const middle = (start + end) >> 1;
      if (compareKeys(this.#matches[middle] as EntityRecord, key) < 0) start = middle + 1;
      else end = middle;
    }
    return start;
  }

  #add(at: number, entity: EntityRecord): void {
    if (at === this.#matches.length) this.#matches.push(entity);
    else this.#matches.splice(at, 0, entity);
    this.#bytes += entity.properties.length;
  }

  #remove(at: number): void {
    const [gone] = this.#matches.splice(at, 1);
    if (gone) this.#bytes -= gone.properties.length;
  }

  #fullPage(): ScanPage {
    let bytes = 0;
    const count = this.#matches.findIndex((entity, at) => {
      bytes += entity.properties.length;
      return at === this.#request.limit || (at > 0 && bytes > this.#request.bytesMax);
    });
    const next = this.#matches[count];
    this.#matches.length = count;
    return this.#page(count === this.#request.limit ? 'limit' : 'size', next);
  }

  #lastPage(): ScanPage {
    const { before } = this.#request.range;
    if (this.#before === before || !this.#before) return this.#page('range', undefined);
    const [next] = this.#tools.rows.read(this.tableId, this.#before, before, 1);
    if (!next) return this.#page('range', undefined);
    const key = keyOfRow(next);
    const isOtherPartition = this.#partitionKey !== undefined && this.#partitionKey !== key.partitionKey;
    return this.#page(isOtherPartition ? 'partition' : 'boundary', key);
  }

  #spentPage(): ScanPage {
    const [next] = this.#tools.rows.read(this.tableId, this.#cursor, this.#before, 1);
    return next ? this.#page('budget', keyOfRow(next)) : this.#lastPage();
  }

  /** The page of a table of which everything was deleted meanwhile. */
  emptyPage(): ScanPage {
    return { kind: 'page', entities: [], visited: this.#visited, end: 'range' };
  }

  #page(end: PageEnd, next: EntityKey | undefined): ScanPage {
    const [entities, visited] = [this.#matches, this.#visited];
    if (!next) return { kind: 'page', entities, visited, end };
    const { partitionKey, rowKey } = next;
    return { kind: 'page', entities, visited, end, next: { partitionKey, rowKey } };
  }
}

/** A page that begins at its boundary or beyond would never come to it. */
function beforeOf({ range: { from, before }, endsBefore }: ScanRequest): EntityKey | undefined {
  return endsBefore && compareKeys(from ?? firstKey, endsBefore) < 0 ? earlierBound(before, endsBefore) : before;
}

function afterKey({ partitionKey, rowKey }: EntityKey): EntityKey {
  return { partitionKey, rowKey: successorOf(rowKey) };
}

/** Index of the next entity that is selected; Infinity for none. */
function nextSelected(selected: Uint8Array | undefined, from: number): number {
  if (!selected) return from;
  const at = selected.indexOf(1, from);
  return at === -1 ? Number.POSITIVE_INFINITY : at;
}

/** How many rows to read next, by the size of those before. */
function rowsAfter(rows: readonly EntityRow[]): number {
  let bytes = 0;
  for (const row of rows) bytes += row[5].length;
  const ofThisSize = Math.floor((readBytesMax * rows.length) / (bytes + 1));
  return Math.max(1, Math.min(rowsMax, ofThisSize, rows.length * 8));
}
