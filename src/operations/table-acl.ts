import { decodeSignedIdentifiers, encodeSignedIdentifiers, type SignedIdentifier } from '../model/access-policy.ts';
import { admitTableOperation } from './admit.ts';
import type { OperationContext } from './operation-context.ts';
import { absentTable } from './refusals.ts';

/** The stored access policies of a table. Refusal: TableNotFound. */
export async function getTableAcl(context: OperationContext, table: string): Promise<readonly SignedIdentifier[]> {
  await admitTableOperation(context);
  const outcome = await context.store.getTableAcl(table);
  if (outcome.kind !== 'found') throw absentTable(outcome.kind);
  return outcome.acl === undefined ? [] : decodeSignedIdentifiers(outcome.acl);
}

/** Replaces all policies of a table, effective immediately. Refusal: TableNotFound. */
export async function setTableAcl(
  context: OperationContext,
  { table, policies }: { table: string; policies: readonly SignedIdentifier[] },
): Promise<void> {
  await admitTableOperation(context);
  const { kind } = await context.store.setTableAcl({ table, acl: encodeSignedIdentifiers(policies) });
  if (kind !== 'set') throw absentTable(kind);
}
