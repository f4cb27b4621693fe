import { tableLookup } from '../../model/table-name.ts';
import type { MachineTime } from '../../model/time.ts';
import type { AccountView, ScanPage, ViewPage, ViewTable } from '../store.ts';
import type { OpenSnapshot } from './database.ts';
import { PageRows } from './page-rows.ts';
import { Scan } from './scan.ts';
import type { Statements } from './statements.ts';
import { targetOf } from './table-target.ts';

export interface AccountViewOptions {
  readonly account: string;
  readonly snapshot: OpenSnapshot;
  readonly statements: Statements;
  readonly machineTime: Pick<MachineTime, 'monotonicMs'>;
}

/** A transaction over a connection of its own, which sees the moment at which it began. Writers never wait for it. */
export async function openAccountView(options: AccountViewOptions): Promise<AccountView> {
  const { account, snapshot, statements } = options;
  try {
    const rows = await snapshot.run(statements.listViewTables, [account]);
    return new PostgresAccountView(
      options,
      rows.map(([name, acl]) => ({ name: name as string, acl: acl ?? undefined })),
    );
  } catch (error) {
    await snapshot.close();
    throw error;
  }
}

class PostgresAccountView implements AccountView {
  readonly tables: readonly ViewTable[];
  readonly #options: AccountViewOptions;
  /** Lookup names. */
  readonly #held: Set<string>;

  constructor(options: AccountViewOptions, tables: readonly ViewTable[]) {
    this.#options = options;
    this.tables = tables;
    this.#held = new Set(tables.map(({ name }) => tableLookup(name)));
  }

  async scan(name: string, { range = {}, ...page }: ViewPage): Promise<ScanPage> {
    const { account, snapshot, statements, machineTime } = this.#options;
    const table = targetOf(account, name);
    if (!table || !this.#held.has(table.lookup)) throw new Error(`the view does not hold the table ${name}`);
    return new Scan({ range, ...page }, { rows: new PageRows(snapshot.run, { statements, table }), machineTime }).run();
  }

  async release(name: string): Promise<void> {
    this.#held.delete(tableLookup(name));
  }

  close(): Promise<void> {
    this.#held.clear();
    return this.#options.snapshot.close();
  }
}
