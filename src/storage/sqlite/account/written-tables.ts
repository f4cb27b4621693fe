import type { EntityKey } from '../../../model/entity.ts';
import type { Participant } from '../participant.ts';
import { type ColumnCache, TableBlocks } from '../scan/column-cache.ts';
import type { ScanQueue } from '../scan/scan-queue.ts';

/** What was written: an entity, or a table that was deleted, was cleared or got other rows. */
type What = EntityKey | 'deleted' | 'cleared' | 'replaced';

/**
 * Records what the current group of writes has changed. After the group is committed, invalidates cached blocks and
 * notifies scans.
 */
export class WrittenTables implements Participant {
  readonly #cache: ColumnCache;
  readonly #scans: ScanQueue;
  /** The cached blocks of tables, by table id. */
  readonly #blocks = new Map<number, TableBlocks>();
  #areAllDeleted = false;
  readonly #written: { readonly tableId: number; readonly what: What }[] = [];

  constructor(cache: ColumnCache, scans: ScanQueue) {
    this.#cache = cache;
    this.#scans = scans;
  }

  /** The cached blocks of a table. */
  blocksOf(tableId: number): TableBlocks {
    const known = this.#blocks.get(tableId);
    if (known) return known;
    const blocks = new TableBlocks(this.#cache);
    this.#blocks.set(tableId, blocks);
    return blocks;
  }

  /** The number of writes recorded in the current group. */
  get count(): number {
    return this.#written.length;
  }

  record(tableId: number, what: What): void {
    this.#written.push({ tableId, what });
  }

  recordAllDeleted(): void {
    this.#areAllDeleted = true;
  }

  committed(): void {
    if (this.#areAllDeleted) this.#forgetBlocks();
    this.#areAllDeleted = false;
    for (const { tableId, what } of this.#written.splice(0)) {
      if (typeof what === 'object') {
        this.#blocks.get(tableId)?.invalidate(what);
        this.#scans.recordChange(tableId, what);
      } else {
        this.#blocks.get(tableId)?.clear();
        this.#blocks.delete(tableId);
        if (what === 'cleared') this.#scans.recordCleared(tableId);
        if (what === 'replaced') this.#scans.recordReplaced(tableId);
      }
    }
  }

  rolledBack(): void {
    this.#areAllDeleted = false;
    this.#written.length = 0;
  }

  close(): void {
    this.#forgetBlocks();
  }

  #forgetBlocks(): void {
    for (const blocks of this.#blocks.values()) blocks.clear();
    this.#blocks.clear();
  }
}
