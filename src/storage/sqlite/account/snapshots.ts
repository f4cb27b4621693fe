import type { SnapshotRecord } from '../../../model/snapshot.ts';
import { tableLookup } from '../../../model/table-name.ts';
import { createMomentFormat } from '../../../model/ticks.ts';
import {
  type DeleteSnapshotOutcome,
  type RestoreSnapshotOutcome,
  type RestoreSnapshotParams,
  type SaveSnapshotOutcome,
  snapshotsMax,
} from '../../store.ts';
import type { Statements } from '../file/statements.ts';
import type { TableChanges } from './table-changes.ts';
import type { TimestampAllocator } from './timestamp-allocator.ts';

interface StoredSnapshot {
  readonly id: number;
  readonly name: string;
  readonly seconds: number;
  readonly fraction: number;
  readonly isWhole: 0 | 1;
  readonly tables: number;
  readonly firstTable: string | null;
}

interface TableId {
  readonly tableId: number;
}

export interface SnapshotsOptions {
  readonly statements: Statements;
  readonly timestamps: Pick<TimestampAllocator, 'nextTicks'>;
  readonly tables: Pick<TableChanges, 'recordSharing' | 'recordRestored'>;
}

/**
 * The snapshots of an account. A snapshot stores a copy of the rows of the SQL table `tables`, including the table ids.
 * Saving or restoring a snapshot does not copy entities: as long as a snapshot holds a table id, the entities under
 * that id are kept. Before the first write to a table that a snapshot holds, the table's entities are copied under a
 * new id (table-copies.ts). All methods except `list` run inside a transaction of the caller.
 */
export class Snapshots {
  readonly #options: SnapshotsOptions;
  readonly #formatMoment = createMomentFormat();

  constructor(options: SnapshotsOptions) {
    this.#options = options;
  }

  /** Lists the snapshots that the connection of these statements sees. */
  list({ listSnapshots }: Statements): readonly SnapshotRecord[] {
    const stored = listSnapshots.all() as StoredSnapshot[];
    return stored.map((one) => this.#recordOf(one)).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Saves one table, or the whole account if `tableId` is undefined. */
  save(name: string, tableId: number | undefined): SaveSnapshotOutcome {
    const { statements, timestamps, tables } = this.#options;
    const { count } = statements.countSnapshots.get() as { count: number };
    const replaced = this.#find(name);
    if (!replaced && count >= snapshotsMax) return { kind: 'tooManySnapshots' };
    const held = replaced ? this.#delete(replaced.id) : [];
    const isWhole = tableId === undefined;
    const { lastInsertRowid: id } = statements.insertSnapshot.run(name, timestamps.nextTicks(), isWhole ? 1 : 0);
    if (isWhole) {
      statements.saveTables.run(id);
      statements.saveServiceProperties.run(id);
    } else statements.saveTable.run(id, tableId);
    for (const one of held) statements.markDropped.run(one);
    tables.recordSharing();
    return { kind: 'saved', snapshot: this.#recordOf(this.#find(name) as StoredSnapshot) };
  }

  restore({ name, table }: RestoreSnapshotParams): RestoreSnapshotOutcome {
    const found = this.#find(name);
    if (!found) return { kind: 'snapshotMissing' };
    const only = table ?? (found.isWhole ? undefined : (found.firstTable ?? ''));
    const restored = only === undefined ? this.#restoreAll(found.id) : this.#restoreTable(found.id, tableLookup(only));
    if (!restored) return { kind: 'tableNotSaved' };
    this.#options.tables.recordRestored({ isWhole: only === undefined, tableIds: restored });
    return { kind: 'restored', snapshot: this.#recordOf(found) };
  }

  delete(name: string): DeleteSnapshotOutcome {
    const { statements, tables } = this.#options;
    const found = this.#find(name);
    if (!found) return { kind: 'snapshotMissing' };
    for (const tableId of this.#delete(found.id)) statements.markDropped.run(tableId);
    tables.recordSharing();
    return { kind: 'deleted' };
  }

  #find(name: string): StoredSnapshot | undefined {
    return this.#options.statements.findSnapshot.get(name) as StoredSnapshot | undefined;
  }

  /** Deletes a snapshot. Returns the ids of the tables that the snapshot held. */
  #delete(id: number): number[] {
    const { listSavedTables, deleteSavedTables, deleteSnapshot } = this.#options.statements;
    const tableIds = (listSavedTables.all(id) as TableId[]).map(({ tableId }) => tableId);
    deleteSavedTables.run(id);
    deleteSnapshot.run(id);
    return tableIds;
  }

  /** Returns the ids of the tables that disappeared or came back. */
  #restoreAll(id: number): readonly number[] {
    const { statements } = this.#options;
    const before = new Set((statements.listTableIds.all() as TableId[]).map(({ tableId }) => tableId));
    const after = new Set((statements.listSavedTables.all(id) as TableId[]).map(({ tableId }) => tableId));
    statements.markAllDropped.run();
    statements.deleteTables.run();
    statements.restoreTables.run(id);
    statements.restoreServiceProperties.run(id);
    return [...[...before].filter((one) => !after.has(one)), ...[...after].filter((one) => !before.has(one))];
  }

  /** Returns undefined if the snapshot does not hold the table. */
  #restoreTable(id: number, lookup: string): readonly number[] | undefined {
    const { statements } = this.#options;
    const saved = statements.findSavedTable.get(id, lookup) as TableId | undefined;
    if (!saved) return undefined;
    const live = statements.findTable.get(lookup) as { id: number } | undefined;
    if (live) statements.deleteTable.run(live.id);
    statements.restoreTable.run(id, lookup);
    if (live?.id === saved.tableId) return [];
    if (live) statements.markDropped.run(live.id);
    return live ? [live.id, saved.tableId] : [saved.tableId];
  }

  #recordOf({ name, seconds, fraction, isWhole, tables, firstTable }: StoredSnapshot): SnapshotRecord {
    const savedAt = this.#formatMoment(seconds, fraction);
    return { name, savedAt, tables, ...(isWhole || firstTable === null ? {} : { table: firstTable }) };
  }
}
