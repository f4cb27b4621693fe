import { tableLookup } from '../../model/table-name.ts';

/** A table by its name; whether it exists is found with what is done to it. */
export interface TableTarget {
  readonly account: string;
  /** See tableLookup. */
  readonly lookup: string;
}

const tableName = /^[a-z][a-z0-9]{2,62}$/;

/** Undefined for a name that no table can have, which PostgreSQL might not take as text. */
export function tableTargetOf(account: string, name: string): TableTarget | undefined {
  const lookup = tableLookup(name);
  return tableName.test(lookup) ? { account, lookup } : undefined;
}
