import type { FindPolicy } from '../auth/table-sas.ts';
import { decodeSignedIdentifiers, findIdentifier } from '../model/access-policy.ts';
import type { Store } from '../storage/store.ts';

/** Reads a stored access policy for each request, so that a change takes effect immediately. */
export function findPolicyIn(store: Store): FindPolicy {
  return async (account, table, id) => {
    const found = (await store.exists(account)) ? await store.account(account).getTableAcl(table) : undefined;
    const acl = found?.kind === 'found' ? found.acl : undefined;
    return acl === undefined ? undefined : findIdentifier(decodeSignedIdentifiers(acl), id);
  };
}
