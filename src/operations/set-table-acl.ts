import { encodeSignedIdentifiers, type SignedIdentifier } from '../model/access-policy.ts';
import { admitPlainly } from './admit.ts';
import type { TableContext } from './operation-context.ts';
import { absentTable } from './refusals.ts';

/** Puts policies in place of all that a table had. They count at once. Refusal: TableNotFound. */
export async function setTableAcl(
  context: TableContext,
  { table, policies }: { table: string; policies: readonly SignedIdentifier[] },
): Promise<void> {
  const wait = admitPlainly(context);
  if (wait) await wait;
  const { kind } = await context.store.setTableAcl(table, encodeSignedIdentifiers(policies));
  if (kind !== 'set') throw absentTable(kind);
}
