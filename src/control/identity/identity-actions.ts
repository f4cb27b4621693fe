// What the control plane and the library do with the issuer of tokens. Loaded on first use.

import { writeCredentialFiles } from '../../identity/credential-files.ts';
import { GrantRefusal, shownInError } from '../../identity/entra-error.ts';
import { checkedAudience } from '../../identity/grants.ts';
import type { Issuer } from '../../identity/issuer.ts';
import type { Identity } from '../../identity/open-identity.ts';
import { type PrincipalRole, readRoles } from '../../identity/principal-role.ts';
import type { Principal } from '../../identity/principals.ts';
import type { GivenToken } from '../../identity/token-journal.ts';
import { ControlError } from '../control-error.ts';

export { issuerFault } from './issuer-fault.ts';

export interface PrincipalRequest {
  readonly name?: string;
  readonly roles?: readonly (string | PrincipalRole)[];
}

export interface TokenRequestBody {
  readonly clientId?: string;
  readonly audience?: string;
  readonly minutes?: number;
}

/** What is known about a principal. No part of it is secret. */
export interface PrincipalReport {
  readonly name: string;
  readonly clientId: string;
  readonly objectId: string;
  readonly from: 'file' | 'made here';
  /** Number of its secrets. In addition, every principal can have a federated token. */
  readonly secrets: number;
  readonly certificates: number;
  /** Null if the principal was given none. It then has the roles that are set for every principal without roles. */
  readonly roles: readonly PrincipalRole[] | null;
}

export interface IdentityReport {
  readonly tenantId: string;
  /** `iss` of the tokens. */
  readonly issuer: string;
  /** The signing key comes first. */
  readonly keys: readonly { readonly kid: string; readonly holdsUntil: string | null }[];
  /** The default principal comes first. */
  readonly principals: readonly PrincipalReport[];
  /** The tokens that this process issued, the latest first. */
  readonly tokens: { readonly count: number; readonly latest: readonly GivenToken[] };
}

/** A new principal, with its secret. */
export interface MadePrincipal extends Omit<PrincipalReport, 'secrets' | 'certificates' | 'from'> {
  readonly tenantId: string;
  readonly secret: string;
}

export interface GivenAccessToken {
  readonly token: string;
  /** ISO 8601, the time of the service. */
  readonly expiresAt: string;
  readonly clientId: string;
  readonly audience: string;
}

/** What a program needs to act as a principal, in addition to the address of the emulator. */
export interface IdentityEnvironment {
  readonly tenantId: string;
  readonly clientId: string;
  /** Null for a principal from a file, if the file gives it no secret. */
  readonly secret: string | null;
  readonly identityHeader: string;
  /** Below the address of the emulator. */
  readonly identityEndpointPath: string;
  /** Private key and certificate, as PEM; null for all but the default principal. */
  readonly certificate: string | null;
  readonly federatedToken: string;
  /** Whether the emulator answers over HTTPS; identity libraries refuse an authority over HTTP. */
  readonly servesHttps: boolean;
  /** Files in the location with the certificate and the token; null if the data is in memory or in a database. */
  readonly files: { readonly certificate?: string; readonly federatedToken: string } | null;
}

export async function reportIdentity(issuer: Issuer): Promise<IdentityReport> {
  const [keys, principals] = [await issuer.keys(), await issuer.principals()];
  return {
    tenantId: issuer.tenantId,
    issuer: `https://sts.windows.net/${issuer.tenantId}/`,
    keys: keys.map(({ kid, holdsUntilMs }) => ({
      kid,
      holdsUntil: holdsUntilMs === undefined ? null : new Date(holdsUntilMs).toISOString(),
    })),
    principals: principals.map(describe),
    tokens: issuer.tokensGiven,
  };
}

function describe({ name, clientId, objectId, from, secrets, certificates, roles }: Principal): PrincipalReport {
  return {
    name,
    clientId,
    objectId,
    from,
    secrets: secrets.length,
    certificates: certificates.length,
    roles: roles ?? null,
  };
}

/** Rejects with ControlError for roles that cannot be read. */
export async function makePrincipal(issuer: Issuer, { name, roles }: PrincipalRequest): Promise<MadePrincipal> {
  if (name !== undefined && !isName(name)) {
    throw new ControlError('InvalidRequest', '"name": it must be a text of 1 to 100 characters.');
  }
  const made = await issuer.addPrincipal({ ...(name && { name }), ...(roles && { roles: rolesOf(roles) }) });
  const { clientId, objectId, secrets } = made;
  const [secret = ''] = secrets;
  return { tenantId: issuer.tenantId, name: made.name, clientId, objectId, secret, roles: made.roles ?? null };
}

const isName = (name: unknown): boolean => typeof name === 'string' && name !== '' && name.length <= 100;

function rolesOf(given: PrincipalRequest['roles']): readonly PrincipalRole[] {
  try {
    return readRoles(given);
  } catch (error) {
    throw new ControlError('InvalidRequest', `"roles": ${error instanceof Error ? error.message : error}.`);
  }
}

/** Rejects with ControlError for an unknown principal, a principal from the file, and the default principal. */
export async function removePrincipal(issuer: Issuer, clientId: string): Promise<{ readonly clientId: string }> {
  const found = await principalOf(issuer, clientId);
  if (found.from === 'file') {
    throw new ControlError('InvalidRequest', 'A principal of the file is removed there.');
  }
  if (!(await issuer.removePrincipal(found.clientId))) throw noPrincipal(clientId);
  return { clientId: found.clientId };
}

const defaultMinutes = 60;
const minutesMax = 1_440;
const defaultAudience = 'https://storage.azure.com';

/** Issues a token. Rejects with ControlError. */
export async function giveToken(issuer: Issuer, request: TokenRequestBody): Promise<GivenAccessToken> {
  const principal = await principalOf(issuer, request.clientId);
  const audience = audienceOf(request.audience ?? defaultAudience);
  const lifeSeconds = minutesOf(request) * 60;
  const { token, until } = await issuer.sign({ principal, audience, grant: 'control plane', lifeSeconds });
  return { token, expiresAt: new Date(until * 1000).toISOString(), clientId: principal.clientId, audience };
}

/** The control plane's schema has already checked the minutes of its requests. A program may pass anything. */
function minutesOf({ minutes = defaultMinutes }: TokenRequestBody): number {
  if (Number.isInteger(minutes) && minutes >= 1 && minutes <= minutesMax) return minutes;
  throw new ControlError('InvalidRequest', `"minutes": it must be a whole number from 1 to ${minutesMax}.`);
}

function audienceOf(text: string): string {
  try {
    return checkedAudience(text);
  } catch (error) {
    if (!(error instanceof GrantRefusal)) throw error;
    throw new ControlError('InvalidRequest', '"audience": it must be an address such as https://storage.azure.com.');
  }
}

/** `folder` is the folder of the issuer's files. Rejects with ControlError for an unknown principal. */
export async function describeEnvironment(
  issuer: Issuer,
  {
    clientId,
    folder,
    servesHttps,
  }: { readonly clientId?: string | undefined } & Pick<Identity, 'folder' | 'servesHttps'>,
): Promise<IdentityEnvironment> {
  const principal = await principalOf(issuer, clientId);
  const { identityHeader, federatedToken, certificate } = await issuer.credentials(principal);
  const [name] = principal.clientId === (await principalOf(issuer)).clientId ? ['client'] : [principal.clientId];
  return {
    tenantId: issuer.tenantId,
    clientId: principal.clientId,
    secret: principal.secrets[0] ?? null,
    identityHeader,
    identityEndpointPath: '/_emulator/identity/msi/token',
    certificate: certificate ?? null,
    federatedToken,
    servesHttps,
    files: folder === undefined ? null : writeCredentialFiles(folder, { name, certificate, federatedToken }),
  };
}

/** The default principal, or the one that is named. */
async function principalOf(issuer: Issuer, clientId?: string): Promise<Principal> {
  const principals = await issuer.principals();
  const id = clientId?.toLowerCase() ?? principals[0]?.clientId;
  const found = principals.find((one) => one.clientId === id);
  if (found) return found;
  throw noPrincipal(clientId ?? '');
}

const noPrincipal = (clientId: string): ControlError =>
  new ControlError('PrincipalNotFound', `There is no principal with the client id ${shownInError(clientId)}.`);
