import { type Access, accessOf } from '../auth/access.ts';
import { authorize } from '../auth/authorize.ts';
import type { Grant } from '../auth/grant.ts';
import type { Address } from '../protocol/address.ts';
import type { Operation } from './operation.ts';

const accesses: ReadonlyMap<string, Access> = new Map(Object.entries(accessOf));

/** Throws the service's refusal where the caller may not do this. What means nothing has no rule: it refuses by itself. */
export function authorizeOperation(grant: Grant, { name }: Operation, { resource }: Address): void {
  if (grant.kind === 'key') return;
  const access = accesses.get(name);
  if (access) authorize(grant, access, 'table' in resource ? resource.table.name : undefined);
}
