// Judges bearer tokens: their claims, their signature and the roles of their holders. With `--oauth basic`, the
// signature is not checked, as in Azurite. With `--oauth verify`, a token must have the signature of a known key.

import type { KeyObject } from 'node:crypto';
import type { Access } from '../auth/access.ts';
import { refusedToken, type TokenJudge } from '../auth/bearer.ts';
import type { Credentials } from '../auth/credentials.ts';
import type { BearerGrant } from '../auth/grant.ts';
import type { EmulatorLog } from '../model/emulator-log.ts';
import { cutMiddle, quote } from '../model/printable-text.ts';
import type { MachineTime } from '../model/time.ts';
import { type ConfiguredKeys, openConfiguredKeys } from './configured-keys.ts';
import { explainRoles } from './explain-roles.ts';
import { type KnownToken, KnownTokens } from './known-tokens.ts';
import type { Identity } from './open-identity.ts';
import { type BearerToken, readToken, TokenFault } from './read-token.ts';
import { assignmentOf, type RoleAssignment } from './role-assignments.ts';
import { allows, openRoles, type Roles } from './roles.ts';
import { checkClaims, tenantOf } from './token-claims.ts';
import { checkHeader } from './token-header.ts';

export interface TokenSettings {
  readonly oauth: 'basic' | 'verify';
  /** The file or address of a JSON Web Key Set. */
  readonly oauthKeys?: string | undefined;
  readonly oauthOverHttp: boolean;
  /** The path of a file of role assignments. */
  readonly roleAssignments?: string | undefined;
  readonly machineTime: MachineTime;
  readonly log?: EmulatorLog | undefined;
}

export interface OpenTokenJudge extends TokenJudge {
  close(): void;
}

/** Throws an Error that says which file or address cannot be used, and why. */
export function openTokenJudge(settings: TokenSettings, identity?: Identity): OpenTokenJudge {
  const { oauth, oauthKeys, roleAssignments, machineTime: time, log } = settings;
  const roles = naming(roleAssignments, 'role assignments', () => openRoles({ file: roleAssignments, time, log }));
  let keys: ConfiguredKeys | undefined;
  try {
    keys =
      oauthKeys && oauth === 'verify'
        ? naming(oauthKeys, 'keys of tokens', () => openConfiguredKeys(oauthKeys, { time, log }))
        : undefined;
  } catch (error) {
    roles.close();
    throw error;
  }
  const judge = createTokenJudge({ isVerifying: oauth === 'verify', identity, keys, roles });
  return {
    ...judge,
    tenant: identity?.tokenIssuer.tenant,
    isTakenOverHttp: settings.oauthOverHttp,
    close() {
      roles.close();
      keys?.close();
    },
  };
}

function naming<Opened>(source: string | undefined, what: string, open: () => Opened): Opened {
  try {
    return open();
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new Error(`The ${what} in ${withoutCredentials(source)} cannot be used: ${reason}.`);
  }
}

/** The source as messages show it: a file, or an address without user name, password and query. */
function withoutCredentials(source = ''): string {
  return source.replace(/^([a-z]+:\/\/)(?:[^/?#]*@)?([^?#]*).*$/is, '$1$2');
}

interface Sources {
  readonly isVerifying: boolean;
  readonly identity: Identity | undefined;
  readonly keys: ConfiguredKeys | undefined;
  readonly roles: Roles;
}

function createTokenJudge({ isVerifying, identity, keys, roles }: Sources): Pick<TokenJudge, 'judge'> {
  const issuer = identity?.tokenIssuer;
  const known = new KnownTokens();
  const generation = (): number => (issuer?.generation ?? 0) + (keys?.generation ?? 0);

  /** Whether the token names this issuer. If so, it must be signed with this issuer's keys. */
  const isOwn = ({ claims }: BearerToken): boolean => issuer !== undefined && claims.iss === issuer.iss;

  const check = (token: BearerToken, { account, nowMs }: Credentials): void =>
    checkClaims(token.claims, {
      account,
      nowMs,
      audiences: isOwn(token) ? (issuer?.audiences ?? []) : [],
      isStrict: isVerifying,
    });

  const refusal = (error: unknown, credentials: Credentials, token?: BearerToken): unknown => {
    if (!(error instanceof TokenFault)) return error;
    // The challenge names a tenant, from which the client will request its next token.
    const own = error.isOfTenant || token === undefined ? undefined : tenantOf(token.claims);
    return refusedToken(credentials, () => error.why, own ?? issuer?.tenant);
  };

  const findKey = async (token: BearerToken): Promise<KeyObject> => {
    const kid = checkHeader(token);
    const key = await (isOwn(token) ? issuer : keys)?.find(kid);
    if (key) return key;
    throw new TokenFault([
      `kid ${quote(kid)} is not ${isOwn(token) ? "a key of the emulator's issuer" : 'one of the configured keys'}.`,
    ]);
  };

  const verifyToken = async (token: BearerToken): Promise<void> => {
    const key = await findKey(token);
    const { verifySignature } = await import('./verify-signature.ts');
    await verifySignature(token, key);
  };

  /** Keeps the token with the roles that its issuer gives the holder. */
  const accept = async (token: BearerToken, credentials: Credentials): Promise<BearerGrant> => {
    const before = generation();
    try {
      if (isVerifying) await verifyToken(token);
      const given = identity && isOwn(token) ? await rolesGiven(token, identity) : undefined;
      known.add({ token, given }, before);
      return grantOf({ token, given }, credentials, roles);
    } catch (error) {
      throw refusal(error, credentials, token);
    }
  };

  return {
    judge(text, credentials) {
      let token: BearerToken | undefined;
      keys?.refresh();
      try {
        const found = known.find(text, generation());
        token = found?.token ?? readToken(text);
        check(token, credentials);
        return found ? grantOf(found, credentials, roles) : accept(token, credentials);
      } catch (error) {
        throw refusal(error, credentials, token);
      }
    },
  };
}

/**
 * Returns the roles that the issuer gives the principal of a token. Returns an empty list if the principal was removed.
 * Returns undefined if the issuer sets no roles for the principal: the default roles then apply.
 */
async function rolesGiven(
  { claims: { oid } }: BearerToken,
  identity: Identity,
): Promise<readonly RoleAssignment[] | undefined> {
  const issuer = await identity.issuer();
  const principal = await issuer.findPrincipal(({ objectId }) => objectId === oid?.toLowerCase());
  if (principal === undefined) return [];
  return principal.roles?.flatMap((role) => assignmentOf(role, principal.objectId) ?? []);
}

/** The emulator's name for a caller whose token has no object id. */
const nameless = '(no oid)';
/** A GUID has 36 characters, but with --oauth basic a token can contain any text. */
const principalCharsMax = 64;

function grantOf({ token, given }: KnownToken, { account }: Credentials, roles: Roles): BearerGrant {
  const { oid, appid } = token.claims;
  const ids = [oid, appid].filter((id) => id !== undefined).map((id) => id.toLowerCase());
  const find = (table: string | undefined) => roles.find(ids, { account, table }, given);
  return {
    kind: 'bearer',
    principal: cutMiddle(oid ?? appid ?? nameless, principalCharsMax),
    may: (action, table) => allows(find(table), action),
    explain: (actions: Access['actions'], table) => explainRoles({ ids, account, table, actions, held: find(table) }),
  };
}
