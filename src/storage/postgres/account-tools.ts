// What the parts of an account share: the name of the account, the database, and the first steps of most changes to the
// account's tables.

import { formatTicks, type Ticks } from '../../model/ticks.ts';
import type { ModelTime } from '../../model/time.ts';
import type { TableAbsence } from '../store.ts';
import type { Database, RolledBack, Run, TransactionOptions } from './database.ts';
import type { PostgresRowReclaim } from './row-reclaim.ts';
import type { PostgresStatements } from './statements.ts';
import type { TableTarget } from './table-target.ts';
import { nowTicks, type PostgresTimestampAllocator } from './timestamp-allocator.ts';

/** The largest difference between the clocks of two nodes that is expected. */
const clockSkewMsMax = 60_000;

export interface AccountToolsOptions {
  readonly database: Database;
  readonly statements: PostgresStatements;
  readonly timestamps: PostgresTimestampAllocator;
  /** Whether the entities are distributed over Citus. */
  readonly isDistributed: boolean;
  readonly modelTime: Pick<ModelTime, 'nowMs'>;
  readonly tableDeleteDelayMs: number;
  /** The last change of each account in progress; it never rejects. */
  readonly changes: Map<string, Promise<void>>;
  /** Tells the other nodes, when the transaction commits, that the account's service settings may have changed. */
  readonly notify: (run: Run, account: string) => Promise<unknown>;
  /** Called after this node has committed a change that may concern the account's service settings. */
  readonly onServiceProperties: (account: string) => void;
  /** Called when a table may have been dropped, so that its rows are no longer needed. */
  readonly onDropped: () => void;
  /** See PostgresRowReclaim. Awaited after tables were replaced, outside the transaction. Never rejects. */
  readonly payFor: PostgresRowReclaim['payFor'];
}

export class AccountTools {
  readonly options: AccountToolsOptions;
  readonly name: string;

  constructor(options: AccountToolsOptions, name: string) {
    this.options = options;
    this.name = name;
  }

  /**
   * Runs a change of the account's settings, tables or snapshots. These changes run one at a time across all nodes, and
   * each change gets later `ticks` than all earlier changes. While a change waits for another change on the same node,
   * it occupies no connection.
   */
  async change<T>(
    work: (run: Run, ticks: Ticks) => Promise<T | RolledBack<T>>,
    transaction: TransactionOptions = {},
  ): Promise<T> {
    const { database, changes } = this.options;
    const changed = (changes.get(this.name) ?? Promise.resolve()).then(() =>
      database.transaction<T>(async (run) => work(run, await this.#lock(run)), transaction),
    );
    const settled = changed.then(ignore, ignore);
    changes.set(this.name, settled);
    void settled.then(() => changes.get(this.name) === settled && changes.delete(this.name));
    return changed;
  }

  /** The reason why there is no table of this name. */
  async absenceOf(run: Run, { account, lookup }: TableTarget): Promise<TableAbsence> {
    const { statements, tableDeleteDelayMs, modelTime } = this.options;
    if (tableDeleteDelayMs === 0) return 'tableMissing';
    const nowMs = Math.floor(modelTime.nowMs());
    // If a clock was set back, the deletion of a name may be in its future. Such a name counts as free.
    const latestMs = nowMs + tableDeleteDelayMs + clockSkewMsMax;
    const rows = await run(statements.deletedName, [account, lookup, nowMs, latestMs]);
    return rows.length > 0 ? 'tableBeingDeleted' : 'tableMissing';
  }

  /** Records that the name of a deleted table cannot be used for a while. */
  async addDeletedName(run: Run, { account, lookup }: TableTarget): Promise<void> {
    const { statements, tableDeleteDelayMs, modelTime } = this.options;
    if (tableDeleteDelayMs === 0) return;
    const nowMs = Math.floor(modelTime.nowMs());
    await run(statements.forgetDeletedNames, [account, nowMs]);
    await run(statements.addDeletedName, [account, lookup, nowMs + tableDeleteDelayMs]);
  }

  /**
   * Removes the settings and all tables except those with the lookup names `kept`, and frees all deleted names. The
   * caller must have locked the account.
   */
  async removeAll(run: Run, kept: readonly string[] = []): Promise<void> {
    const { statements, notify } = this.options;
    await Promise.all([
      run(statements.deleteTables, [this.name, kept]),
      run(statements.freeDeletedNames, [this.name]),
      run(statements.setServiceProperties, [this.name, null]),
      notify(run, this.name),
    ]);
  }

  async #lock(run: Run): Promise<Ticks> {
    const { statements, modelTime } = this.options;
    const [row] = await run(statements.lockAccount, [this.name, nowTicks(modelTime)]);
    return BigInt(row?.[0] as string);
  }
}

const ignore = (): void => undefined;

export const timestampOf = (ticks: string | null | undefined): string => formatTicks(BigInt(ticks as string));
