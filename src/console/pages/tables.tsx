import type { JSX } from 'preact';
import { accountOr } from '../client/emulator.ts';
import type { PageProps } from '../router.ts';
import { EntitiesPage } from './tables/entities-page.tsx';
import { TableList } from './tables/table-list.tsx';

/** `#/tables/{account}` lists tables, `#/tables/{account}/{table}?filter=…` shows the entities of one. */
export function TablesPage({ route }: PageProps): JSX.Element {
  const [first, table] = route.path;
  const account = accountOr(first);
  if (table === undefined) return <TableList key={account} account={account} />;
  const filter = route.query.get('filter') ?? '';
  return <EntitiesPage key={JSON.stringify([account, table])} account={account} table={table} filter={filter} />;
}
