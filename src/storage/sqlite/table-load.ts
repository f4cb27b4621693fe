// A load of whole tables. Its rows lie under table ids that no table has, listed among those of dropped tables from the
// beginning: what a process that ended leaves of a load, RowReclaim takes away at the next start.

import { type TableName, tableLookup } from '../../model/table-name.ts';
import type { Ticks } from '../../model/ticks.ts';
import type { FinishLoad, LoadedEntity, TableLoad } from '../store.ts';
import type { Work, WriteOptions } from './group-commit.ts';
import { encodeKeyPart } from './key-order.ts';
import type { Statements } from './statements.ts';

/** What loads need of their account. */
export interface LoadTools {
  readonly statements: Statements;
  readonly write: <T>(work: Work<T>, options: WriteOptions) => Promise<T>;
  readonly nextTicks: () => Ticks;
  /** Later timestamps are later than this one. */
  readonly passTicks: (ticks: Ticks) => void;
  /** Whether the name was deleted and cannot be used yet. */
  readonly isBeingDeleted: (name: string) => boolean;
  /** Makes room for a loaded table, inside the transaction. */
  readonly removeTable: (name: string) => void;
  /** Removes whatever the account has, inside the transaction. */
  readonly removeAll: () => void;
  /** Rows may be wanted no longer. */
  readonly onEnd: () => void;
}

/** The loads of an account that are in progress. */
export class TableLoads {
  /** Ids of their tables, whose rows stay. */
  readonly tableIds = new Set<number>();
  readonly #tools: LoadTools;
  #count = 0;

  constructor(tools: LoadTools) {
    this.#tools = tools;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  begin(): TableLoad {
    this.#count += 1;
    const end = (tableIds: readonly number[]): void => {
      this.#count -= 1;
      for (const tableId of tableIds) this.tableIds.delete(tableId);
      this.#tools.onEnd();
    };
    return new SqliteTableLoad(this.#tools, { begin: (tableId) => this.tableIds.add(tableId), end });
  }
}

/** What a load says of its tables. */
interface Ids {
  readonly begin: (tableId: number) => void;
  readonly end: (tableIds: readonly number[]) => void;
}

interface LoadedTable {
  readonly id: number;
  readonly name: TableName;
  readonly acl: string | undefined;
}

class SqliteTableLoad implements TableLoad {
  readonly #tools: LoadTools;
  /** By lookup name. */
  readonly #tables = new Map<string, LoadedTable>();
  readonly #ids: Ids;
  #isOver = false;

  constructor(tools: LoadTools, ids: Ids) {
    this.#tools = tools;
    this.#ids = ids;
  }

  addTable(name: TableName, acl: string | undefined): Promise<{ kind: 'added' | 'duplicate' }> {
    const { statements } = this.#tools;
    const lookup = tableLookup(name);
    if (this.#tables.has(lookup)) return Promise.resolve({ kind: 'duplicate' });
    return this.#write(() => {
      // A row that is deleted at once takes an id that is never used again.
      const id = Number(statements.insertTable.run(name, `load ${lookup}`, 0).lastInsertRowid);
      statements.deleteTable.run(id);
      statements.markDropped.run(id);
      this.#ids.begin(id);
      this.#tables.set(lookup, { id, name, acl });
      return { kind: 'added' };
    });
  }

  addEntities(
    table: string,
    entities: readonly LoadedEntity[],
  ): Promise<{ kind: 'added' } | { kind: 'duplicate'; at: number }> {
    const { statements, nextTicks, passTicks } = this.#tools;
    const loaded = this.#tables.get(tableLookup(table));
    if (!loaded || this.#isOver) return Promise.reject(new Error(`the load has no table ${table}`));
    let at = 0;
    return this.#write((isTimeOver) => {
      for (; at < entities.length; at++) {
        if (at > 0 && at % timeCheckEvery === 0 && isTimeOver()) return undefined;
        const { partitionKey, rowKey, properties, ticks } = entities[at] as LoadedEntity;
        if (ticks !== undefined) passTicks(ticks);
        const key = [loaded.id, encodeKeyPart(partitionKey), encodeKeyPart(rowKey)] as const;
        const { changes } = statements.insertEntity.run(...key, ticks ?? nextTicks(), properties);
        if (changes === 0) return { kind: 'duplicate', at };
      }
      return { kind: 'added' };
    });
  }

  async finish({
    replacesAccount = false,
  }: FinishLoad = {}): Promise<{ kind: 'finished' } | { kind: 'tableBeingDeleted'; table: string }> {
    const { statements, nextTicks, isBeingDeleted, removeTable, removeAll } = this.#tools;
    if (this.#isOver) throw new Error('the load is over');
    const tables = [...this.#tables.values()];
    const outcome = await this.#write(() => {
      const taken = tables.find(({ name }) => isBeingDeleted(name));
      if (taken && !replacesAccount) return { kind: 'tableBeingDeleted' as const, table: taken.name };
      for (const { name } of tables) removeTable(name);
      if (replacesAccount) removeAll();
      for (const { id, name, acl } of tables) {
        statements.insertLoadedTable.run(id, name, tableLookup(name), nextTicks(), acl ?? null);
        statements.forgetDropped.run(id);
      }
      return { kind: 'finished' as const };
    });
    if (outcome.kind === 'finished') {
      this.#isOver = true;
      this.#ids.end(tables.map(({ id }) => id));
    }
    return outcome;
  }

  async abandon(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#ids.end([...this.#tables.values()].map(({ id }) => id));
  }

  #write<T>(work: (isTimeOver: () => boolean) => T | undefined): Promise<T> {
    return this.#tools.write(
      (isTimeOver) => {
        const result = work(isTimeOver);
        return result && { keep: true, result };
      },
      { needsSavepoint: false },
    );
  }
}

/** Entities between two looks at the clock. */
const timeCheckEvery = 64;
