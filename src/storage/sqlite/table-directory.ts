import { ownText } from '../../model/own-text.ts';
import { tableLookup } from '../../model/table-name.ts';
import type { Statements } from './statements.ts';

export interface TableRow {
  readonly id: number;
  readonly name: string;
  readonly createdTicks: string;
}

/** Limit on memory: the directory starts afresh beyond this. */
const rememberedTablesMax = 10_000;

/** Finds a table's row by name, remembering what it found until tables change. */
export class TableDirectory {
  readonly #statements: Statements;
  readonly #remembered = new Map<string, TableRow>();

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  find(name: string): TableRow | undefined {
    const remembered = this.#remembered.get(name);
    if (remembered) return remembered;
    const row = this.#statements.findTable.get(tableLookup(name)) as TableRow | undefined;
    if (!row) return undefined;
    if (this.#remembered.size >= rememberedTablesMax) this.forget();
    this.#remembered.set(ownText(name), row);
    return row;
  }

  forget(): void {
    this.#remembered.clear();
  }
}
