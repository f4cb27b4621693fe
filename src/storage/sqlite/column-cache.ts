// Caches the columns of stretches that are scanned often, within a bound. A block holds the committed state of its stretch of keys:
// a commit that touches the stretch takes the block out, and the next scan reads these few rows again.

import { compareKeys, type EntityKey } from '../../model/entity.ts';
import { joinBlocks, type RowBlock } from './row-block.ts';

/** Over all accounts: columns of about three million numbers, or of a million short texts. */
const cacheBytesMax = 64 * 1_048_576;

/** The memory that all tables share. */
export class ColumnCache {
  readonly #bytesMax: number;
  /** Least recently used first. */
  readonly #owners = new Map<RowBlock, TableBlocks>();
  #bytes = 0;

  constructor(bytesMax = cacheBytesMax) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Makes room for a block by evicting blocks of other tables, least recently used first. A table does not evict its own
   * blocks: one that is larger than the cache would go round and never find any of them again.
   */
  take(block: RowBlock, owner: TableBlocks): boolean {
    if (block.bytes > this.#bytesMax) return false;
    while (this.#bytes + block.bytes > this.#bytesMax) {
      const [oldest] = this.#owners;
      if (!oldest || oldest[1] === owner) return false;
      oldest[1].drop(oldest[0]);
    }
    this.#owners.set(block, owner);
    this.#bytes += block.bytes;
    return true;
  }

  touch(block: RowBlock): void {
    const owner = this.#owners.get(block);
    if (!owner) return;
    this.#owners.delete(block);
    this.#owners.set(block, owner);
  }

  release(block: RowBlock): void {
    if (this.#owners.delete(block)) this.#bytes -= block.bytes;
  }
}

/** The blocks of one table: apart from each other, in key order. */
export class TableBlocks {
  readonly #cache: ColumnCache;
  readonly #blocks: RowBlock[] = [];

  constructor(cache: ColumnCache) {
    this.#cache = cache;
  }

  /** The block that a key falls into. */
  find(key: EntityKey): RowBlock | undefined {
    const block = this.#blocks[this.#indexAfter(key) - 1];
    if (!block || (block.high && compareKeys(key, block.high) >= 0)) return undefined;
    this.#cache.touch(block);
    return block;
  }

  /** Where the first block after a key begins. */
  nextLow(key: EntityKey): EntityKey | undefined {
    return this.#blocks[this.#indexAfter(key)]?.low;
  }

  /** Takes a block in, in place of the one that begins where it does. The stretch must not reach into another one. */
  put(block: RowBlock): void {
    const there = this.#blocks[this.#indexAfter(block.low) - 1];
    if (there && compareKeys(there.low, block.low) === 0) this.drop(there);
    // Alone first: a joined block is smaller than its two parts, so joining never loses one for lack of room.
    if (!this.#cache.take(block, this)) return;
    const before = this.#blocks[this.#indexAfter(block.low) - 1];
    const joined = before && joinBlocks(before, block);
    if (joined) {
      this.#cache.release(block);
      this.drop(before);
      this.#cache.take(joined, this);
    }
    const kept = joined ?? block;
    this.#blocks.splice(this.#indexAfter(kept.low), 0, kept);
  }

  /** Drops the block of an entity that was written or deleted. */
  invalidate(key: EntityKey): void {
    const block = this.#blocks[this.#indexAfter(key) - 1];
    if (block && (!block.high || compareKeys(key, block.high) < 0)) this.drop(block);
  }

  drop(block: RowBlock): void {
    const at = this.#indexAfter(block.low) - 1;
    if (this.#blocks[at] === block) this.#blocks.splice(at, 1);
    this.#cache.release(block);
  }

  clear(): void {
    for (const block of this.#blocks.splice(0)) this.#cache.release(block);
  }

  /** How many blocks begin at or before a key. */
  #indexAfter(key: EntityKey): number {
    let [start, end] = [0, this.#blocks.length];
    while (start < end) {
      const middle = (start + end) >> 1;
      const { low } = this.#blocks[middle] as RowBlock;
      if (compareKeys(low, key) <= 0) start = middle + 1;
      else end = middle;
    }
    return start;
  }
}
