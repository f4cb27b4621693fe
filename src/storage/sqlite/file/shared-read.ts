import { type Schedule, systemSchedule } from '../../../model/schedule.ts';
import type { Cancel } from '../../../model/time.ts';
import { rollBack, type Statements } from './statements.ts';

/**
 * Lets all reads of one turn of the event loop share a transaction. SQLite then acquires and releases its locks only
 * once per turn. Acquiring and releasing the locks costs about as much as a point read. The transaction ends with the
 * turn, or before a group of writes begins.
 */
export class SharedRead {
  readonly #statements: Statements;
  readonly #schedule: Pick<Schedule, 'nextTurn'>;
  #cancelEnd: Cancel | undefined;

  constructor(statements: Statements, schedule: Pick<Schedule, 'nextTurn'> = systemSchedule) {
    this.#statements = statements;
    this.#schedule = schedule;
  }

  share(): void {
    if (this.#cancelEnd) return;
    this.#statements.beginRead.run();
    this.#cancelEnd = this.#schedule.nextTurn(() => this.end());
  }

  end(): void {
    if (!this.#cancelEnd) return;
    this.#cancelEnd();
    this.#cancelEnd = undefined;
    const { commit } = this.#statements;
    // After an unreadable page or an I/O error, SQLite either has already abandoned the transaction or will refuse to
    // commit it. A rollback loses no result: the failed read is already rejected, and the other reads have their
    // results.
    try {
      if (commit.database.inTransaction) commit.run();
    } catch {
      rollBack(this.#statements);
    }
  }
}
