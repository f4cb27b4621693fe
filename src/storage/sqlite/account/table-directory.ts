import { copyString } from '../../../model/copy-string.ts';
import { tableLookup } from '../../../model/table-name.ts';
import { createMomentFormat } from '../../../model/ticks.ts';
import type { TablePage, TableRecord } from '../../store.ts';
import type { Statements } from '../file/statements.ts';
import type { Participant } from '../participant.ts';

export interface TableRow {
  readonly id: number;
  readonly record: TableRecord;
  /** Whether a snapshot holds its rows, which then must not change. */
  readonly isShared: boolean;
}

interface StoredTable {
  readonly name: string;
  readonly seconds: number;
  readonly fraction: number;
}

interface FoundTable extends StoredTable {
  readonly id: number;
  readonly isShared: 0 | 1;
}

/** Limit on memory: the cache is cleared beyond this. */
const rememberedTablesMax = 10_000;

/** The tables of an account. Caches tables by name until any table gets another id or another state. */
export class TableDirectory implements Participant {
  readonly #statements: Statements;
  readonly #remembered = new Map<string, TableRow>();
  readonly #formatMoment = createMomentFormat();

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  find(name: string): TableRow | undefined {
    const remembered = this.#remembered.get(name);
    if (remembered) return remembered;
    const stored = this.#statements.findTable.get(tableLookup(name)) as FoundTable | undefined;
    if (!stored) return undefined;
    if (this.#remembered.size >= rememberedTablesMax) this.forget();
    const row = { id: stored.id, record: this.#recordOf(stored), isShared: stored.isShared === 1 };
    this.#remembered.set(copyString(name), row);
    return row;
  }

  /** One page of tables, from a lookup name on. */
  list(from: string, limit: number): TablePage {
    const stored = this.#statements.listTables.all(from, limit + 1) as StoredTable[];
    const tables = stored.map((one) => this.#recordOf(one));
    const next = tables[limit];
    return next ? { tables: tables.slice(0, limit), next } : { tables };
  }

  forget(): void {
    this.#remembered.clear();
  }

  /** Forgets tables that were found inside the transaction. */
  rolledBack(): void {
    this.forget();
  }

  #recordOf({ name, seconds, fraction }: StoredTable): TableRecord {
    return { name, createdAt: this.#formatMoment(seconds, fraction) };
  }
}
