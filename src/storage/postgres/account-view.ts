import { tableLookup } from '../../model/table-name.ts';
import type { MachineTime } from '../../model/time.ts';
import type { AccountView, ScanPage, ViewScanParams, ViewTable } from '../store.ts';
import type { OpenSnapshot, Values } from './database.ts';
import { PageRows } from './page-rows.ts';
import { PostgresScan } from './scan.ts';
import type { PostgresStatements } from './statements.ts';

export interface AccountViewOptions {
  readonly account: string;
  readonly snapshot: OpenSnapshot;
  readonly statements: PostgresStatements;
  readonly machineTime: Pick<MachineTime, 'monotonicMs'>;
  readonly isDistributed: boolean;
}

/** A transaction over its own connection that sees the state at its beginning. Writers never wait for it. */
export async function openAccountView(options: AccountViewOptions): Promise<AccountView> {
  const { account, snapshot, statements } = options;
  try {
    const rows = await snapshot.run(statements.listViewTables, [account]);
    const tables = rows.map(([name, acl, id]) => ({ name: name as string, acl: acl ?? undefined, id: id as string }));
    return new PostgresAccountView(options, tables);
  } catch (error) {
    await snapshot.close();
    throw error;
  }
}

interface HeldTable extends ViewTable {
  readonly id: string;
}

class PostgresAccountView implements AccountView {
  readonly tables: readonly ViewTable[];
  readonly #options: AccountViewOptions;
  /** The parameters that identify each table in statements, by lookup name. */
  readonly #held: Map<string, Values>;

  constructor(options: AccountViewOptions, tables: readonly HeldTable[]) {
    const { account, isDistributed } = options;
    this.#options = options;
    this.tables = tables.map(({ name, acl }) => ({ name, acl }));
    const valuesOf = (lookup: string, id: string): Values => (isDistributed ? [id] : [account, lookup]);
    this.#held = new Map(tables.map(({ name, id }) => [tableLookup(name), valuesOf(tableLookup(name), id)]));
  }

  async scan({ table: name, range = {}, ...page }: ViewScanParams): Promise<ScanPage> {
    const { snapshot, statements, machineTime } = this.#options;
    const table = this.#held.get(tableLookup(name));
    if (!table) throw new Error(`the view does not hold the table ${name}`);
    return new PostgresScan(
      { range, ...page },
      { rows: new PageRows(snapshot.run, { statements, table }), machineTime },
    ).run();
  }

  async release(name: string): Promise<void> {
    this.#held.delete(tableLookup(name));
  }

  close(): Promise<void> {
    this.#held.clear();
    return this.#options.snapshot.close();
  }
}
