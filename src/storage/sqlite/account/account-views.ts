// A view shows an account as it was at one moment. A view holds the ids of the account's tables. As long as a view
// holds an id, the rows under this id are neither changed nor reclaimed. So before the first write to such a table, the
// rows are copied under a new id, as for a snapshot (table-copies.ts, ADR 0009). The held ids exist only in memory, so
// a crash leaves no view behind: the next start reclaims rows that belong to no table.

import { tableLookup } from '../../../model/table-name.ts';
import type { MachineTime } from '../../../model/time.ts';
import type { AccountView, ScanPage, ViewScanParams, ViewTable } from '../../store.ts';
import type { Statements } from '../file/statements.ts';
import type { Participant } from '../participant.ts';
import { type ColumnCache, TableBlocks } from '../scan/column-cache.ts';
import { Scan } from '../scan/scan.ts';
import type { TableRows } from '../scan/table-rows.ts';
import type { RowReclaim } from './row-reclaim.ts';

export interface AccountViewsOptions {
  readonly statements: Statements;
  readonly rows: TableRows;
  readonly cache: ColumnCache;
  readonly machineTime: Pick<MachineTime, 'monotonicMs'>;
  /** Runs a read on committed state. */
  readonly read: <T>(work: () => T) => Promise<T>;
  readonly reclaim: Pick<RowReclaim, 'start'>;
}

interface StoredTable {
  readonly id: number;
  readonly name: string;
  readonly acl: string | null;
}

export class AccountViews implements Participant {
  readonly #options: AccountViewsOptions;
  /** For each held id: how many views hold it. */
  readonly #holders = new Map<number, number>();

  constructor(options: AccountViewsOptions) {
    this.#options = options;
  }

  /** The held ids, whose rows must not be reclaimed. */
  get tableIds(): Iterable<number> {
    return this.#holders.keys();
  }

  get isIdle(): boolean {
    return this.#holders.size === 0;
  }

  holds(tableId: number): boolean {
    return this.#holders.has(tableId);
  }

  /** Nothing to do: views only hold committed state. */
  rolledBack(): void {}

  /**
   * Opens a view of the committed tables. Must not be called while a group of writes is open, because the view would
   * then hold uncommitted rows.
   */
  open(): AccountView {
    const stored = this.#options.statements.listHeldTables.all() as StoredTable[];
    const tables = stored.map(({ name, acl }): ViewTable => ({ name, acl: acl ?? undefined }));
    const held = new Map(stored.map(({ id, name }) => [tableLookup(name), id]));
    for (const id of held.values()) this.#holders.set(id, (this.#holders.get(id) ?? 0) + 1);
    const release = (lookups: Iterable<string>): void => {
      for (const lookup of lookups) {
        const id = held.get(lookup);
        if (id === undefined) continue;
        held.delete(lookup);
        this.#release(id);
      }
      this.#options.reclaim.start();
    };
    return {
      tables,
      scan: async (params) => {
        const id = held.get(tableLookup(params.table));
        if (id === undefined) throw new Error(`the view does not hold table ${params.table}`);
        return this.#options.read(() => this.#readPage(id, params));
      },
      release: async (table) => release([tableLookup(table)]),
      close: async () => release([...held.keys()]),
    };
  }

  /**
   * Reads the page in one turn of the event loop. The turn is short: the scan has no filter, so every row that it reads
   * goes on the page, and the size of a page is limited.
   */
  #readPage(tableId: number, params: ViewScanParams): ScanPage {
    const { rows, cache, machineTime } = this.#options;
    const blocks = new TableBlocks(cache);
    return new Scan({ range: {}, ...params }, { tableId, rows, blocks, machineTime }).readWhole();
  }

  #release(id: number): void {
    const others = (this.#holders.get(id) ?? 0) - 1;
    if (others > 0) this.#holders.set(id, others);
    else this.#holders.delete(id);
  }
}
