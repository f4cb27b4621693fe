import { type TableName, tableLookup } from '../../../model/table-name.ts';
import type { ClearTableOutcome, CreateTableOutcome, DeleteTableOutcome } from '../../store.ts';
import type { Statements } from '../file/statements.ts';
import type { DeletedTables } from './deleted-tables.ts';
import type { RowReclaim } from './row-reclaim.ts';
import type { StoredServiceProperties } from './stored-service-properties.ts';
import type { TableDirectory } from './table-directory.ts';
import type { TimestampAllocator } from './timestamp-allocator.ts';
import type { WrittenTables } from './written-tables.ts';

export interface TableChangesOptions {
  readonly statements: Statements;
  readonly directory: TableDirectory;
  readonly deleted: DeletedTables;
  readonly written: WrittenTables;
  readonly timestamps: TimestampAllocator;
  readonly serviceProperties: StoredServiceProperties;
  readonly reclaim: Pick<RowReclaim, 'start'>;
}

/** What a restore has changed. */
interface Restored {
  readonly isWhole: boolean;
  /** Ids of tables that disappeared or came back. */
  readonly tableIds: readonly number[];
}

/**
 * Creates, deletes and replaces tables without touching their rows. All methods run inside a transaction of the caller.
 */
export class TableChanges {
  readonly #options: TableChangesOptions;

  constructor(options: TableChangesOptions) {
    this.#options = options;
  }

  create(name: TableName): CreateTableOutcome {
    const { timestamps, statements } = this.#options;
    if (this.isBeingDeleted(name)) return { kind: 'tableBeingDeleted' };
    const { ticks, timestamp } = timestamps.next();
    const { changes } = statements.insertTable.run(name, tableLookup(name), ticks);
    if (changes === 0) return { kind: 'exists' };
    return { kind: 'created', table: { name, createdAt: timestamp } };
  }

  delete(name: string): DeleteTableOutcome {
    const { directory, deleted, reclaim } = this.#options;
    const table = directory.find(name);
    if (!table) return { kind: 'missing' };
    this.#drop(table.id, 'deleted');
    deleted.add(name);
    reclaim.start();
    return { kind: 'deleted' };
  }

  clear(name: string): ClearTableOutcome {
    const { directory, deleted, statements, written, reclaim } = this.#options;
    const table = directory.find(name);
    if (!table) return { kind: deleted.absenceOf(name) };
    directory.forget();
    statements.renewTable.run(table.id);
    statements.markDropped.run(table.id);
    written.record(table.id, 'cleared');
    reclaim.start();
    return { kind: 'cleared' };
  }

  /** Also deletes the service properties. */
  deleteAll(): ClearTableOutcome {
    const { directory, deleted, statements, written, serviceProperties, reclaim } = this.#options;
    directory.forget();
    statements.markAllDropped.run();
    statements.deleteTables.run();
    serviceProperties.clear();
    deleted.freeAll();
    written.recordAllDeleted();
    reclaim.start();
    return { kind: 'cleared' };
  }

  /** Removes the table of this name, if there is one, so that a loaded table can replace it. */
  makeRoom(name: string): void {
    const { directory } = this.#options;
    const table = directory.find(name);
    if (table) this.#drop(table.id, 'replaced');
    directory.forget();
  }

  /**
   * Whether the table of this name was deleted and the name cannot be used again yet. False if the transaction of the
   * deletion failed, because the table then still exists.
   */
  isBeingDeleted(name: string): boolean {
    const { deleted, directory } = this.#options;
    return deleted.has(name) && !directory.find(name);
  }

  /** Must be called when the tables that snapshots share may have changed. */
  recordSharing(): void {
    this.#options.directory.forget();
    this.#options.reclaim.start();
  }

  recordRestored({ isWhole, tableIds }: Restored): void {
    const { deleted, serviceProperties } = this.#options;
    if (isWhole) {
      serviceProperties.markChanged();
      deleted.freeAll();
    }
    this.recordReplaced(tableIds);
  }

  /** Records that the tables with these ids have been replaced: their names now have other rows, under other ids. */
  recordReplaced(tableIds: readonly number[]): void {
    for (const tableId of tableIds) this.#options.written.record(tableId, 'replaced');
    this.recordSharing();
  }

  #drop(tableId: number, what: 'deleted' | 'replaced'): void {
    const { directory, statements, written } = this.#options;
    directory.forget();
    statements.deleteTable.run(tableId);
    statements.markDropped.run(tableId);
    written.record(tableId, what);
  }
}
