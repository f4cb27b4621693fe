import { decodeSignedIdentifiers, type SignedIdentifier } from '../model/access-policy.ts';
import { admitPlainly } from './admit.ts';
import type { TableContext } from './operation-context.ts';
import { absentTable } from './refusals.ts';

/** The stored access policies of a table. Refusal: TableNotFound. */
export async function getTableAcl(context: TableContext, table: string): Promise<readonly SignedIdentifier[]> {
  const wait = admitPlainly(context);
  if (wait) await wait;
  const outcome = await context.store.getTableAcl(table);
  if (outcome.kind !== 'found') throw absentTable(outcome.kind);
  return outcome.acl === undefined ? [] : decodeSignedIdentifiers(outcome.acl);
}
