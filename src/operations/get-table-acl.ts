import { decodeSignedIdentifiers, type SignedIdentifier } from '../model/access-policy.ts';
import type { AccountStore } from '../storage/store.ts';
import { absentTable } from './refusals.ts';

/** The stored access policies of a table. Refusal: TableNotFound. */
export async function getTableAcl(store: AccountStore, table: string): Promise<readonly SignedIdentifier[]> {
  const outcome = await store.getTableAcl(table);
  if (outcome.kind !== 'found') throw absentTable(outcome.kind);
  return outcome.acl === undefined ? [] : decodeSignedIdentifiers(outcome.acl);
}
