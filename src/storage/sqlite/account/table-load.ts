// Loads complete tables. The rows of a load are stored under ids that belong to no table yet. From the beginning, these
// ids are listed as dropped tables. If the process ends during a load, RowReclaim removes the rows at the next start.

import { type TableName, tableLookup } from '../../../model/table-name.ts';
import type {
  AddEntitiesOutcome,
  AddTableOutcome,
  AddTableParams,
  FinishLoadOutcome,
  FinishLoadParams,
  LoadedEntity,
  TableLoad,
} from '../../table-load.ts';
import type { GroupCommit } from '../file/group-commit.ts';
import { encodeKeyPart } from '../file/key-order.ts';
import type { Statements } from '../file/statements.ts';
import type { Participant } from '../participant.ts';
import type { RowReclaim } from './row-reclaim.ts';
import type { TableChanges } from './table-changes.ts';
import type { TimestampAllocator } from './timestamp-allocator.ts';

/** The parts of an account that its loads need. */
export interface LoadTools {
  readonly statements: Statements;
  readonly writer: Pick<GroupCommit, 'write'>;
  readonly timestamps: Pick<TimestampAllocator, 'nextTicks' | 'pass'>;
  readonly tables: Pick<TableChanges, 'isBeingDeleted' | 'makeRoom' | 'deleteAll'>;
  readonly reclaim: Pick<RowReclaim, 'start' | 'payFor'>;
}

/** The loads of an account that are in progress. */
export class TableLoads implements Participant {
  readonly #tools: LoadTools;
  readonly #loads = new Set<SqliteTableLoad>();

  constructor(tools: LoadTools) {
    this.#tools = tools;
  }

  get isIdle(): boolean {
    return this.#loads.size === 0;
  }

  /** Ids whose rows must not be reclaimed. */
  get tableIds(): readonly number[] {
    return [...this.#loads].flatMap((load) => load.tableIds);
  }

  begin(): TableLoad {
    const load = new SqliteTableLoad(this.#tools, () => {
      this.#loads.delete(load);
      this.#tools.reclaim.start();
    });
    this.#loads.add(load);
    return load;
  }

  committed(): void {
    for (const load of this.#loads) load.committed();
  }

  rolledBack(): void {
    for (const load of this.#loads) load.rolledBack();
  }
}

interface LoadedTable {
  readonly id: number;
  readonly lookup: string;
  readonly name: TableName;
  readonly acl: string | undefined;
}

class SqliteTableLoad implements TableLoad, Participant {
  readonly #tools: LoadTools;
  readonly #onEnd: () => void;
  readonly #tables = new Map<string, LoadedTable>();
  /** The tables that the current transaction adds. */
  readonly #added = new Map<string, LoadedTable>();
  /** Whether the current transaction puts the tables in place. */
  #isFinishing = false;
  #isAbandoned = false;
  #isOver = false;

  constructor(tools: LoadTools, onEnd: () => void) {
    this.#tools = tools;
    this.#onEnd = onEnd;
  }

  get tableIds(): readonly number[] {
    return [...this.#tables.values(), ...this.#added.values()].map(({ id }) => id);
  }

  addTable({ name, acl }: AddTableParams): Promise<AddTableOutcome> {
    const { statements } = this.#tools;
    const lookup = tableLookup(name);
    return this.#write(() => {
      if (this.#tables.has(lookup) || this.#added.has(lookup)) return { kind: 'duplicate' };
      // Inserting a row and deleting it immediately reserves an id that is never used again.
      const id = Number(statements.insertTable.run(name, `load ${lookup}`, 0).lastInsertRowid);
      statements.deleteTable.run(id);
      statements.markDropped.run(id);
      this.#added.set(lookup, { id, lookup, name, acl });
      return { kind: 'added' };
    });
  }

  addEntities(table: string, entities: readonly LoadedEntity[]): Promise<AddEntitiesOutcome> {
    const { statements, timestamps, reclaim } = this.#tools;
    const loaded = this.#tables.get(tableLookup(table));
    if (!loaded) return Promise.reject(new Error(`the load has no table ${table}`));
    let at = 0;
    return this.#write((isTimeOver) => {
      for (; at < entities.length; at++) {
        if (at % timeCheckEvery === 0) {
          if (at > 0 && isTimeOver()) return undefined;
          reclaim.payFor(timeCheckEvery);
        }
        const { partitionKey, rowKey, properties, ticks } = entities[at] as LoadedEntity;
        if (ticks !== undefined) timestamps.pass(ticks);
        const key = [loaded.id, encodeKeyPart(partitionKey), encodeKeyPart(rowKey)] as const;
        const { changes } = statements.insertEntity.run(...key, ticks ?? timestamps.nextTicks(), properties);
        if (changes === 0) return { kind: 'duplicate', at };
      }
      return { kind: 'added' };
    });
  }

  finish({ replacesAccount = false }: FinishLoadParams = {}): Promise<FinishLoadOutcome> {
    const { tables } = this.#tools;
    return this.#write<FinishLoadOutcome>(() => {
      const loaded = [...this.#tables.values(), ...this.#added.values()];
      const taken = loaded.find(({ name }) => tables.isBeingDeleted(name));
      if (taken && !replacesAccount) return { kind: 'tableBeingDeleted', table: taken.name };
      for (const { name } of loaded) tables.makeRoom(name);
      if (replacesAccount) tables.deleteAll();
      for (const table of loaded) this.#putInPlace(table);
      this.#isFinishing = true;
      return { kind: 'finished' };
    });
  }

  /** If a transaction that puts the tables in place is open, its outcome decides whether the load is finished. */
  async abandon(): Promise<void> {
    if (this.#isAbandoned || this.#isOver) return;
    this.#isAbandoned = true;
    if (!this.#isFinishing) this.#end();
  }

  committed(): void {
    for (const [lookup, table] of this.#added) this.#tables.set(lookup, table);
    this.#added.clear();
    if (this.#isFinishing) this.#end();
  }

  rolledBack(): void {
    this.#added.clear();
    this.#isFinishing = false;
    if (this.#isAbandoned) this.#end();
  }

  #putInPlace({ id, lookup, name, acl }: LoadedTable): void {
    const { statements, timestamps } = this.#tools;
    // If the id is no longer listed as dropped, some of its rows have been reclaimed.
    if (statements.forgetDropped.run(id).changes === 0) throw new Error(`the rows of table ${name} are gone`);
    statements.insertLoadedTable.run(id, name, lookup, timestamps.nextTicks(), acl ?? null);
  }

  #end(): void {
    this.#isOver = true;
    this.#isFinishing = false;
    this.#onEnd();
  }

  /** Rejects if the load ends before or during the work. */
  async #write<T extends { readonly kind: string }>(work: (isTimeOver: () => boolean) => T | undefined): Promise<T> {
    const over = { kind: 'over' } as const;
    // A load that has ended must not write: its account may no longer exist.
    const result = this.#isEnding
      ? over
      : await this.#tools.writer.write<T | typeof over>(
          (isTimeOver) => {
            const done = this.#isEnding ? over : work(isTimeOver);
            return done && { keep: true, result: done };
          },
          { needsSavepoint: false, grows: true },
        );
    if (result.kind === 'over') throw new Error('the load is over');
    return result as T;
  }

  get #isEnding(): boolean {
    return this.#isOver || this.#isAbandoned || this.#isFinishing;
  }
}

/** The number of entities between two checks of the time. */
const timeCheckEvery = 64;
