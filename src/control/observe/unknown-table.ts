import type { TableAbsence } from '../../storage/store.ts';
import { ControlError } from '../control-error.ts';

/** The error for a request that names a table that does not exist. */
export const unknownTable = (
  absence: TableAbsence,
  { account, table }: { readonly account: string; readonly table: string },
): ControlError =>
  absence === 'tableBeingDeleted'
    ? new ControlError('TableBeingDeleted', `"table": ${table} of account ${account} is being deleted.`)
    : new ControlError('TableNotFound', `"table": account ${account} has no table ${table}.`);
