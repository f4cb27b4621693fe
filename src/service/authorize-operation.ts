import { type Access, access } from '../auth/access.ts';
import { authorize } from '../auth/authorize.ts';
import type { Grant } from '../auth/grant.ts';
import type { Address } from '../protocol/address.ts';
import type { Operation } from './operation.ts';

/**
 * Throws the service's refusal if the caller may not carry out the operation. The compiler refuses an operation without
 * an access rule. At run time, such an operation requires an account key.
 */
export function authorizeOperation(grant: Grant, operation: Pick<Operation, 'access'>, { resource }: Address): void {
  if (grant.kind === 'key' || operation.access === 'refuses') return;
  const rule: Access | undefined = operation.access;
  authorize(grant, rule ?? access.keyOnly, 'table' in resource ? resource.table.name : undefined);
}
