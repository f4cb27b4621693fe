import { rollBack, type Statements } from './statements.ts';

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
    // After an unreadable page or an input or output error SQLite has given up the transaction, or refuses to commit it. The
    // read that failed has been rejected by then, the others have read what was there: nothing is lost with the transaction.
    try {
      if (commit.database.inTransaction) commit.run();
    } catch {
      rollBack(this.#statements);
    }
  }
}
