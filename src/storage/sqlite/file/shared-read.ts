import { rollBack, type Statements } from './statements.ts';

/**
 * Lets the reads of one turn of the event loop share a transaction: SQLite acquires and releases its locks only once, which
 * costs about as much as a point read. The transaction ends with the turn, or before a group of writes begins.
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
    // After an unreadable page or an input or output error SQLite has given up the transaction, or refuses to commit it. The
    // read that failed has been rejected by then, the others have read what was there: nothing is lost with the transaction.
    try {
      if (commit.database.inTransaction) commit.run();
    } catch {
      rollBack(this.#statements);
    }
  }
}
