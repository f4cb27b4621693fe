// The tables and entities that differ between the two servers because only one of the servers carried out a write. A
// later difference in the same table or entity follows from this write, so it is not a separate finding.

export interface Touched {
  readonly account: string;
  /** The lookup name of the table; undefined for the account itself. */
  readonly table: string | undefined;
  /** Both keys of the entity; undefined for the entire table. */
  readonly entity: string | undefined;
  readonly isWrite: boolean;
  /** Whether the request creates or deletes the table. */
  readonly isOfTable: boolean;
}

interface DivergedTable {
  /** Number of the request that made the table differ. */
  since: number | undefined;
  readonly entities: Map<string, number>;
}

export class DivergedData {
  readonly #tables = new Map<string, DivergedTable>();

  /** The number of the earlier request from which a difference follows; undefined if there is none. */
  since(touched: Touched): number | undefined {
    const table = this.#tables.get(keyOf(touched));
    if (!table) return undefined;
    if (table.since !== undefined) return table.since;
    if (touched.isOfTable) return undefined;
    if (touched.entity !== undefined) return table.entities.get(touched.entity);
    const [first] = table.entities.values();
    return first;
  }

  /** Records whether both servers, neither, or only one of them carried out a request. */
  note(
    touched: Touched,
    outcome: { readonly recorded: boolean; readonly there: boolean; readonly number: number },
  ): void {
    if (!touched.isWrite || touched.table === undefined) return;
    const { recorded, there, number } = outcome;
    const key = keyOf(touched);
    const { entity } = touched;
    if (recorded === there) {
      // Both have the same data now.
      if (recorded && touched.isOfTable) this.#tables.delete(key);
      else if (recorded && entity !== undefined) this.#tables.get(key)?.entities.delete(entity);
      return;
    }
    const table = this.#tables.get(key) ?? { since: undefined, entities: new Map<string, number>() };
    this.#tables.set(key, table);
    const first = this.since(touched) ?? number;
    if (entity === undefined || touched.isOfTable) table.since ??= first;
    else table.entities.set(entity, first);
  }

  /** Call when the data of an account, or of a table, was replaced. */
  forget(account: string, table: string | undefined): void {
    for (const key of this.#tables.keys()) {
      if (table === undefined ? key.startsWith(`${account}/`) : key === `${account}/${table}`) this.#tables.delete(key);
    }
  }
}

const keyOf = ({ account, table }: Touched): string => `${account}/${table ?? ''}`;
