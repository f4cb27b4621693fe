import { encodeSignedIdentifiers, type SignedIdentifier } from '../model/access-policy.ts';
import type { AccountStore } from '../storage/store.ts';
import { absentTable } from './refusals.ts';

/** Puts policies in place of all that a table had. They count at once. Refusal: TableNotFound. */
export async function setTableAcl(
  store: AccountStore,
  { table, policies }: { table: string; policies: readonly SignedIdentifier[] },
): Promise<void> {
  const { kind } = await store.setTableAcl(table, encodeSignedIdentifiers(policies));
  if (kind !== 'set') throw absentTable(kind);
}
