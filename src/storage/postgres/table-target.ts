import { tableLookup } from '../../model/table-name.ts';

/** A table by its name. Whether it exists is found out by the operation itself. */
export interface TableTarget {
  readonly account: string;
  /** See tableLookup. */
  readonly lookup: string;
}

const tableName = /^[a-z][a-z0-9]{2,62}$/;

/** Undefined for a name that a table cannot have, which PostgreSQL might not accept as text. */
export function tableTargetOf(account: string, name: string): TableTarget | undefined {
  const lookup = tableLookup(name);
  return tableName.test(lookup) ? { account, lookup } : undefined;
}
