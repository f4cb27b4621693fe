// What the parts of an account share: its name, the database and the steps that most changes to its tables begin with.

import { formatTicks, type Ticks } from '../../model/ticks.ts';
import type { ModelTime } from '../../model/time.ts';
import type { TableAbsence } from '../store.ts';
import type { Database, Run } from './database.ts';
import { nowTicks } from './moments.ts';
import type { Statements } from './statements.ts';
import type { TableTarget } from './table-target.ts';

export interface AccountToolsOptions {
  readonly database: Database;
  readonly statements: Statements;
  readonly modelTime: Pick<ModelTime, 'nowMs'>;
  readonly tableDeleteDelayMs: number;
  /** Tells the other nodes, when the transaction commits, that the service's settings may have changed. */
  readonly notify: (run: Run, account: string) => Promise<unknown>;
  /** Runs after such a commit of this node. */
  readonly onServiceProperties: (account: string) => void;
  /** Rows may be wanted no longer. */
  readonly onDropped: () => void;
}

export class AccountTools {
  readonly options: AccountToolsOptions;
  readonly name: string;

  constructor(options: AccountToolsOptions, name: string) {
    this.options = options;
    this.name = name;
  }

  /**
   * Locks the account against other changes of its tables and snapshots, on all nodes, and returns a timestamp later than that of
   * each such change before.
   */
  async lock(run: Run): Promise<Ticks> {
    const { statements, modelTime } = this.options;
    const [row] = await run(statements.lockAccount, [this.name, nowTicks(modelTime)]);
    return BigInt(row?.[0] as string);
  }

  /** Why there is no table of the name. */
  async absenceOf(run: Run, { account, lookup }: TableTarget): Promise<TableAbsence> {
    const { statements, tableDeleteDelayMs, modelTime } = this.options;
    if (tableDeleteDelayMs === 0) return 'tableMissing';
    const rows = await run(statements.deletedName, [account, lookup, Math.floor(modelTime.nowMs())]);
    return rows.length > 0 ? 'tableBeingDeleted' : 'tableMissing';
  }

  /** Notes that the name of a deleted table cannot be used for a while. */
  async addDeletedName(run: Run, { account, lookup }: TableTarget): Promise<void> {
    const { statements, tableDeleteDelayMs, modelTime } = this.options;
    if (tableDeleteDelayMs === 0) return;
    const nowMs = Math.floor(modelTime.nowMs());
    await run(statements.forgetDeletedNames, [account, nowMs]);
    await run(statements.addDeletedName, [account, lookup, nowMs + tableDeleteDelayMs]);
  }

  /** Removes the settings and every table but those of the lookup names, and frees all names. The account is locked. */
  async removeAll(run: Run, kept: readonly string[] = []): Promise<void> {
    const { statements, notify } = this.options;
    await Promise.all([
      run(statements.deleteTables, [this.name, kept]),
      run(statements.freeDeletedNames, [this.name]),
      run(statements.setServiceProperties, [this.name, null]),
      notify(run, this.name),
    ]);
  }
}

export const timestampOf = (ticks: string | null | undefined): string => formatTicks(BigInt(ticks as string));
