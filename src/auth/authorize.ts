// Checks what a grant allows. The resource type and the permission are checked before the table is looked up. The key
// range is checked when the keys are known. Evidence: the order is assumed.

import type { EntityKey } from '../model/entity.ts';
import type { ErrorCode } from '../model/error-catalogue.ts';
import { isInRange } from '../model/key-range.ts';
import { quote } from '../model/printable-text.ts';
import { ServiceError } from '../model/service-error.ts';
import { tableLookup } from '../model/table-name.ts';
import type { Access } from './access.ts';
import type { Explain } from './authentication-refused.ts';
import type { AccountSasGrant, BearerGrant, Grant, TableSasGrant } from './grant.ts';

/**
 * Throws a ServiceError if the grant does not suffice. `table` is the name of the table in the address; it is undefined
 * for a batch.
 */
export function authorize(grant: Grant, access: Access, table?: string): void {
  if (grant.kind === 'key') return;
  if (grant.kind === 'bearer') {
    authorizeBearer(grant, access, table);
    return;
  }
  if (access.keyOnly) throw refused(grant, 'AuthorizationFailure', () => ['This operation needs an account key.']);
  if (grant.kind === 'accountSas') authorizeAccountSas(grant, access);
  else authorizeTableSas(grant, access, table);
}

/** Evidence: recorded (resource type); the order of the two checks is assumed. */
function authorizeAccountSas(grant: AccountSasGrant, { resourceType, account }: Access): void {
  const { resourceTypes, permissions } = grant;
  if (!resourceTypes.includes(resourceType)) {
    throw refused(grant, 'AuthorizationResourceTypeMismatch', () => [
      `srt is ${resourceTypes}; this operation needs ${resourceType}.`,
    ]);
  }
  if (!account.some((letters) => hasLetters(permissions, letters))) {
    throw refused(grant, 'AuthorizationPermissionMismatch', () => [
      `sp is ${permissions}; this operation needs ${account.map(spellLetters).join(', or ')}.`,
    ]);
  }
}

/**
 * Evidence: sdk (sling-cli issue 635: a table signature cannot list tables; azure-storage-php: a table signature does
 * not cover another table).
 */
function authorizeTableSas(grant: TableSasGrant, access: Access, table: string | undefined): void {
  const { permissions } = grant;
  const needed = access.table;
  if (needed === undefined) {
    throw refused(grant, 'AuthorizationFailure', () => [
      'A table signature covers the entities of its table only; this operation needs an account signature or an account key.',
    ]);
  }
  if (table !== undefined && tableLookup(table) !== tableLookup(grant.table)) {
    throw refused(grant, 'AuthorizationFailure', () => [
      `tn is ${quote(grant.table)}; the address names another table.`,
    ]);
  }
  if (!hasLetters(permissions, needed)) {
    throw refused(grant, 'AuthorizationPermissionMismatch', () => [
      `sp is ${permissions}; this operation needs ${spellLetters(needed)}.`,
    ]);
  }
}

/**
 * Evidence: documented (the refusal of a role that lacks the action); sdk (azure-sdk-for-net issue 21913: access policies are
 * not found with a token). It is assumed that creating and listing tables needs a role on the account.
 */
function authorizeBearer(grant: BearerGrant, { actions }: Access, table: string | undefined): void {
  if (actions.length === 0) {
    throw refused(grant, 'ResourceNotFound', () => [
      'The service has no access policies for a bearer token: use an account key.',
    ]);
  }
  if (actions.some((needed) => needed.every((action) => grant.may(action, table)))) return;
  throw refused(grant, 'AuthorizationPermissionMismatch', () => grant.explain(actions, table));
}

/** Whether the grant covers an entity. Reads treat an entity outside the grant as missing. */
export function isKeyInRange(grant: Grant, key: EntityKey): boolean {
  return grant.kind !== 'tableSas' || grant.range === undefined || isInRange(key, grant.range);
}

/** Throws a ServiceError for a write outside the grant's key range. Evidence: sdk (.NET TableSasUnitTests). */
export function checkKeyInRange(grant: Grant, key: EntityKey): void {
  if (isKeyInRange(grant, key)) return;
  throw refused(grant, 'AuthorizationFailure', () => ['The key lies outside the range of spk, srk, epk and erk.']);
}

/** Evidence: recorded (stage); documented (ResourceNotFound for signatures older than 2015-04-05). */
function refused(grant: Grant, code: ErrorCode, why: Explain): ServiceError {
  const isLegacy = grant.kind === 'tableSas' && grant.isLegacy;
  return new ServiceError(isLegacy ? 'ResourceNotFound' : code, { stage: 'execute', why });
}

function hasLetters(permissions: string, letters: string): boolean {
  for (const letter of letters) if (!permissions.includes(letter)) return false;
  return true;
}

const spellLetters = (letters: string): string => [...letters].join(' and ');
