import { tableLookup } from '../../model/table-name.ts';

/** A table by its name. It need not exist: each operation looks it up. */
export interface TableTarget {
  readonly account: string;
  /** See tableLookup. */
  readonly lookup: string;
}

const tableName = /^[a-z][a-z0-9]{2,62}$/;

/** Returns undefined for a name that no table can have. PostgreSQL might not accept such a name as text. */
export function tableTargetOf(account: string, name: string): TableTarget | undefined {
  const lookup = tableLookup(name);
  return tableName.test(lookup) ? { account, lookup } : undefined;
}
