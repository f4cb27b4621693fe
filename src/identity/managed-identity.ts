// Answers requests for tokens of managed identities, as a virtual machine or App Service does. Such a request needs no
// secret, and only programs on the machine can reach its address.
// Evidence: documented (How to use managed identities on an Azure VM to acquire an access token; Managed identities for
// App Service)

import { managedTokenSeconds } from './access-token.ts';
import { GrantRefusal, shownInError } from './entra-error.ts';
import { checkedAudience, type GrantedToken } from './grants.ts';
import type { Principal } from './principals.ts';

export interface ManagedRequest {
  readonly kind: 'imds' | 'app service';
  /** The query as sent: a library may leave `://` unencoded. */
  readonly query: URLSearchParams;
  /** The default principal comes first. */
  readonly principals: readonly Principal[];
}

/** Reads and checks a request for a managed identity's token. Throws GrantRefusal. */
export function readManaged({ kind, query, principals }: ManagedRequest): GrantedToken {
  const resource = query.get('resource');
  if (!query.get('api-version')) throw new GrantRefusal(900144, "The query must contain 'api-version'.");
  if (!resource) throw new GrantRefusal(900144, "The query must contain 'resource'.");
  return {
    principal: findManaged(query, principals),
    audience: checkedAudience(resource),
    grant: kind,
    lifeSeconds: managedTokenSeconds,
  };
}

/** The identity that the query names, or the system-assigned identity. */
function findManaged(query: URLSearchParams, principals: readonly Principal[]): Principal {
  const named = ['client_id', 'object_id', 'principal_id'].flatMap((name) => query.get(name)?.toLowerCase() ?? []);
  const [id = principals[0]?.clientId] = named;
  const found = principals.find(({ clientId, objectId }) => id === clientId || id === objectId);
  if (found && named.length <= 1) return found;
  throw new GrantRefusal(900201, `Identity not found: there is no principal ${shownInError(id ?? '')}.`);
}

export interface ManagedAnswer extends Pick<GrantedToken, 'principal' | 'audience'> {
  readonly token: string;
  /** Seconds since 1970, by the clock of the emulator. */
  readonly from: number;
  readonly until: number;
  readonly now: number;
}

/** The answer of the machine's metadata service. Its numbers are strings. */
export function imdsAnswer({ token, principal, audience, from, until, now }: ManagedAnswer): object {
  return {
    access_token: token,
    client_id: principal.clientId,
    expires_in: String(until - now),
    expires_on: String(until),
    ext_expires_in: String(until - now),
    not_before: String(from),
    resource: audience,
    token_type: 'Bearer',
  };
}

export function appServiceAnswer({ token, principal, audience, until }: ManagedAnswer): object {
  return {
    access_token: token,
    client_id: principal.clientId,
    expires_on: String(until),
    resource: audience,
    token_type: 'Bearer',
  };
}
