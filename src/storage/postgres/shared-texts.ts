import type { SharedTexts } from '../shared-texts.ts';
import type { Database, Run } from './database.ts';
import type { Operations } from './operations.ts';
import type { PostgresStatements } from './statements.ts';

/** Marks the payload of a notification about a text. Account names cannot begin with it. */
const mark = '#';

export interface SharedTextsOptions {
  readonly database: Database;
  readonly statements: PostgresStatements;
  readonly operations: Operations;
  /** Notifies the other nodes when the transaction commits. */
  readonly notify: (run: Run, what: string) => Promise<unknown>;
}

export class PostgresSharedTexts implements SharedTexts {
  readonly #options: SharedTextsOptions;
  readonly #listeners: ((name: string | undefined) => void)[] = [];

  constructor(options: SharedTextsOptions) {
    this.#options = options;
  }

  read(name: string): Promise<string | undefined> {
    const { database, statements, operations } = this.#options;
    return operations.run(async () => {
      const [row] = await database.read(statements.readSharedText, [name]);
      return row?.[0] ?? undefined;
    });
  }

  update(name: string, change: (current: string | undefined) => string): Promise<string> {
    const { database, statements, operations, notify } = this.#options;
    return operations.run(() =>
      database.transaction(async (run) => {
        const [row] = await run(statements.lockSharedText, [name]);
        const text = change(row?.[0] ?? undefined);
        await run(statements.setSharedText, [name, text]);
        await notify(run, `${mark}${name}`);
        return text;
      }),
    );
  }

  onChange(listener: (name: string | undefined) => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Handles a notification about `what`; undefined means that any text may have changed. Returns whether the
   * notification was about a text.
   */
  hear(what: string | undefined): boolean {
    if (what !== undefined && !what.startsWith(mark)) return false;
    for (const listener of this.#listeners) listener(what?.slice(mark.length));
    return true;
  }
}
