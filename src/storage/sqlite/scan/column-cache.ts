// Caches the columns of key ranges that filters have scanned. The memory of the cache is limited. A block contains the
// committed state of one range. A commit that writes to the range drops the block, and the next scan reads the few rows
// of the block again.

import { compareKeys, type EntityKey } from '../../../model/entity.ts';
import { firstIndex } from '../../../model/first-index.ts';
import { joinBlocks, type RowBlock } from './row-block.ts';

/** Memory for all accounts. It holds columns of about three million numbers, or of a million short texts. */
const cacheBytesMax = 64 * 1_048_576;

/** The memory that the blocks of all tables share. */
export class ColumnCache {
  readonly #bytesMax: number;
  /** The blocks and their owners, the least recently used block first. */
  readonly #owners = new Map<RowBlock, TableBlocks>();
  #bytes = 0;

  constructor(bytesMax = cacheBytesMax) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Adds a block, and evicts the least recently used blocks of other tables to make room. Returns false if the block
   * does not fit. Blocks of the same table are not evicted: a scan of a table larger than the cache would otherwise
   * evict each block before it is used again.
   */
  add(block: RowBlock, owner: TableBlocks): boolean {
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

/** The blocks of one table, in key order; they do not overlap. */
export class TableBlocks {
  readonly #cache: ColumnCache;
  readonly #blocks: RowBlock[] = [];

  constructor(cache: ColumnCache) {
    this.#cache = cache;
  }

  /** The block that contains a key. */
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

  /** Whether a cached block ends at `low`, or begins at `high`. */
  hasNeighbour({ low, high }: Pick<RowBlock, 'low' | 'high'>): boolean {
    const after = this.#indexAfter(low);
    const [before, next] = [this.#blocks[after - 1], this.#blocks[after]];
    return isSameKey(before?.high, low) || isSameKey(next?.low, high);
  }

  /** Adds a block, which replaces the one with the same first key. It must not overlap any other block. */
  put(block: RowBlock): void {
    const replaced = this.#blocks[this.#indexAfter(block.low) - 1];
    if (replaced && compareKeys(replaced.low, block.low) === 0) this.drop(replaced);
    // A joined block is smaller than its two parts: if the new block fits alone, the joined one fits too.
    if (!this.#cache.add(block, this)) return;
    const before = this.#blocks[this.#indexAfter(block.low) - 1];
    const joined = before && joinBlocks(before, block);
    if (joined) {
      this.#cache.release(block);
      this.drop(before);
      this.#cache.add(joined, this);
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
    const blocks = this.#blocks;
    return firstIndex(blocks.length, (at) => compareKeys((blocks[at] as RowBlock).low, key) > 0);
  }
}

function isSameKey(a: EntityKey | undefined, b: EntityKey | undefined): boolean {
  return a !== undefined && b !== undefined && compareKeys(a, b) === 0;
}
