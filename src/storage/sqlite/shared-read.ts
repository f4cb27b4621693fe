import type { Statements } from './statements.ts';

/**
 * Lets the point reads of one turn of the event loop share a transaction: SQLite takes and gives up its locks once for
 * all of them, which costs about as much as a read. It ends with the turn, or when a group of writes is about to begin.
 */
export class SharedRead {
  readonly #statements: Statements;
  #ending: NodeJS.Immediate | undefined;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  share(): void {
    if (this.#ending) return;
    this.#statements.beginRead.run();
    this.#ending = setImmediate(() => this.end());
  }

  end(): void {
    if (!this.#ending) return;
    clearImmediate(this.#ending);
    this.#ending = undefined;
    const { commit } = this.#statements;
    // At an input or output error SQLite has given up the transaction by itself.
    if (commit.database.inTransaction) commit.run();
  }
}
