// The built-in issuer. It issues tokens like Microsoft Entra, and has the endpoints of managed identity. The issuer
// does not use the network. It creates its keys on first use and keeps them with the data. The times in its tokens come
// from the service's clock. Assertions of clients are checked against the machine's clock.

import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { EmulatorLog } from '../model/emulator-log.ts';
import type { Clock } from '../model/time.ts';
import { accessTokenClaims, tokenSecondsMax } from './access-token.ts';
import { federatedSubject, federationAudience, federationIssuer, SeenAssertions } from './assertions.ts';
import { type GrantedToken, readGrant, type TokenForm } from './grants.ts';
import { createPrincipal, createStoredKey, type IdentityState, type StoredKey } from './identity-state.ts';
import { keyIdOf, signToken } from './jwt.ts';
import { type ManagedAnswer, readManaged } from './managed-identity.ts';
import type { PrincipalRole } from './principal-role.ts';
import { isSameSecret, type Principal, type PrincipalsFile, storedPrincipals } from './principals.ts';
import { StateInForce, type StateInForceOptions } from './state-in-force.ts';
import { type GivenToken, TokenJournal } from './token-journal.ts';

export interface IssuerOptions extends StateInForceOptions {
  /** A GUID in lower case. */
  readonly tenantId: string;
  readonly principalsFile?: PrincipalsFile | undefined;
  /** The time of the service. */
  readonly clock: Clock;
  readonly machineTime: Clock;
  readonly log?: EmulatorLog | undefined;
}

/** The issuer cannot do what is requested. The message says why in one line. */
export class IssuerRefusal extends Error {
  readonly code: 'TooManyKeys' | 'TooManyPrincipals' | 'InvalidRequest';

  constructor(code: IssuerRefusal['code'], message: string) {
    super(message);
    this.name = 'IssuerRefusal';
    this.code = code;
  }
}

const keysMax = 50;
const principalsMax = 1_000;
/** Minimum time between reads of the store for an unknown key or principal, which another node may have made. */
const rereadMs = 1_000;

export interface SignedToken extends GrantedToken {
  readonly token: string;
  /** Seconds since 1970. */
  readonly from: number;
  readonly until: number;
  readonly now: number;
}

export class Issuer {
  readonly #options: IssuerOptions;
  readonly #state: StateInForce;
  readonly #seen = new SeenAssertions();
  readonly #journal = new TokenJournal();
  readonly #privateKeys = new Map<string, KeyObject>();
  #rereadMs = Number.NEGATIVE_INFINITY;

  constructor(options: IssuerOptions) {
    this.#options = options;
    this.#state = new StateInForce(options);
  }

  get tenantId(): string {
    return this.#options.tenantId;
  }

  get generation(): number {
    return this.#state.generation;
  }

  get tokensGiven(): { readonly count: number; readonly latest: readonly GivenToken[] } {
    return { count: this.#journal.count, latest: this.#journal.latest() };
  }

  /** The key that signs comes first. */
  async keys(): Promise<readonly [StoredKey, ...StoredKey[]]> {
    return (await this.#state.read()).keys;
  }

  /** The default principal comes first. */
  async principals(): Promise<readonly Principal[]> {
    return this.#principalsOf(await this.#state.read());
  }

  /** The public key that verifies tokens with this `kid`. Rejects with the error of the store. */
  async find(kid: string): Promise<KeyObject | undefined> {
    const isNamed = (key: StoredKey): boolean => key.kid === kid;
    const stored = (await this.keys()).find(isNamed) ?? (await this.#readAgain())?.keys.find(isNamed);
    return stored && createPublicKey(stored.privateKey);
  }

  /**
   * Finds the principal for which `fits` is true. If none is found, reads the store again, because another node may
   * have added the principal in the meantime. Rejects with the store's error.
   */
  async findPrincipal(fits: (principal: Principal) => boolean): Promise<Principal | undefined> {
    const found = (await this.principals()).find(fits);
    if (found) return found;
    const state = await this.#readAgain();
    return state && this.#principalsOf(state).find(fits);
  }

  /** The state as other nodes have changed it; undefined if there are no other nodes, or if it was just read. */
  async #readAgain(): Promise<IdentityState | undefined> {
    const nowMs = this.#options.machineTime.nowMs();
    if (this.#state.isOwn || Math.abs(nowMs - this.#rereadMs) < rereadMs) return undefined;
    this.#rereadMs = nowMs;
    return this.#state.reread();
  }

  /** Issues a token for a form. `audiences` are the addresses of the token endpoint. Rejects with GrantRefusal. */
  async grant(form: TokenForm, audiences: readonly string[]): Promise<SignedToken> {
    const state = await this.#state.read();
    const granted = await readGrant(form, {
      findPrincipal: (id) => this.findPrincipal(({ clientId }) => clientId === id),
      audiences,
      federationKey: createPublicKey(state.federationKey),
      nowMs: this.#options.machineTime.nowMs(),
      seen: this.#seen,
    });
    return this.sign(granted);
  }

  /** Issues a token of a managed identity. Rejects with GrantRefusal. */
  async grantManaged(kind: 'imds' | 'app service', query: URLSearchParams): Promise<ManagedAnswer> {
    return this.sign(readManaged({ kind, query, principals: await this.principals() }));
  }

  /** Whether a request has the header that App Service requires. */
  async hasIdentityHeader(sent: string): Promise<boolean> {
    return isSameSecret((await this.#state.read()).identityHeader, sent);
  }

  async sign(granted: GrantedToken): Promise<SignedToken> {
    const { principal, audience, grant, lifeSeconds } = granted;
    const nowMs = this.#options.clock.nowMs();
    const [{ kid, privateKey }] = await this.keys();
    const claims = accessTokenClaims({ tenantId: this.tenantId, principal, audience, grant, lifeSeconds, nowMs });
    const token = await signToken(claims, { kid, key: this.#privateKeyOf(kid, privateKey) });
    this.#journal.add({
      at: new Date(nowMs).toISOString(),
      expiresAt: new Date(claims.exp * 1000).toISOString(),
      name: principal.name,
      clientId: principal.clientId,
      audience,
      grant,
      kid,
      id: claims.uti,
    });
    return { ...granted, token, from: claims.nbf, until: claims.exp, now: claims.exp - lifeSeconds };
  }

  /**
   * Creates a new key, which signs all tokens from now on. An old key stays valid until every token that it signed has
   * expired.
   */
  async rotate(): Promise<{ readonly kid: string; readonly keys: number }> {
    const created = await createStoredKey();
    const nowMs = this.#options.clock.nowMs();
    const { keys } = await this.#state.change((state) => rotated(state, created, nowMs));
    this.#options.log?.info({ kid: created.kid, keys: keys.length }, 'the issuer signs with a new key');
    return { kid: created.kid, keys: keys.length };
  }

  /** Makes a principal with a secret. */
  async addPrincipal(parts: { readonly name?: string; readonly roles?: readonly PrincipalRole[] }): Promise<Principal> {
    const stored = createPrincipal({ name: parts.name ?? 'principal', ...parts });
    await this.#state.change((state) => {
      if (state.principals.length >= principalsMax) {
        throw new IssuerRefusal('TooManyPrincipals', `There are at most ${principalsMax} principals: remove some.`);
      }
      return { ...state, principals: [...state.principals, stored] };
    });
    const { secret, ...rest } = stored;
    return { ...rest, secrets: [secret], certificates: [], from: 'made here' };
  }

  /** Returns whether this issuer had made such a principal. The default principal cannot be removed. */
  async removePrincipal(clientId: string): Promise<boolean> {
    const { principals } = await this.#state.read();
    const [first, ...others] = principals;
    if (!others.some((one) => one.clientId === clientId)) {
      if (first.clientId === clientId)
        throw new IssuerRefusal('InvalidRequest', 'The default principal cannot be removed.');
      return false;
    }
    await this.#state.change((state) => {
      const [kept, ...rest] = state.principals;
      return { ...state, principals: [kept, ...rest.filter((one) => one.clientId !== clientId)] };
    });
    return true;
  }

  /** The credentials that a program needs to authenticate as the principal. */
  async credentials(principal: Principal): Promise<{
    readonly identityHeader: string;
    readonly federatedToken: string;
    /** The certificate and private key of the default principal, as PEM. */
    readonly certificate: string | undefined;
  }> {
    const state = await this.#withCertificate();
    const isDefault = principal.clientId === state.principals[0].clientId;
    const { certificate } = state;
    return {
      identityHeader: state.identityHeader,
      federatedToken: await this.#federatedToken(principal, state),
      certificate: isDefault && certificate ? `${certificate.privateKey}${certificate.certificate}` : undefined,
    };
  }

  async #withCertificate(): Promise<IdentityState> {
    const state = await this.#state.read();
    if (state.certificate) return state;
    const { createClientCertificate } = await import('./client-certificate.ts');
    const certificate = await createClientCertificate(this.#options.machineTime.nowMs());
    return this.#state.change((current) => ({ ...current, certificate: current.certificate ?? certificate }));
  }

  /** The token is valid for ten years. Like all that clients send, it follows the machine's clock. */
  #federatedToken(principal: Principal, { federationKey }: IdentityState): Promise<string> {
    const now = Math.floor(this.#options.machineTime.nowMs() / 1000);
    const claims = {
      iss: federationIssuer,
      sub: federatedSubject(principal),
      aud: federationAudience,
      iat: now,
      nbf: now,
      exp: now + 10 * 365 * 86_400,
    };
    const key = createPrivateKey(federationKey);
    return signToken(claims, { kid: keyIdOf(createPublicKey(key)), key });
  }

  #principalsOf(state: IdentityState): readonly Principal[] {
    const [first, ...others] = storedPrincipals(state);
    const { principals = [] } = this.#options.principalsFile ?? {};
    return [...(first ? [first] : []), ...principals, ...others];
  }

  #privateKeyOf(kid: string, pem: string): KeyObject {
    const known = this.#privateKeys.get(kid) ?? createPrivateKey(pem);
    this.#privateKeys.clear();
    this.#privateKeys.set(kid, known);
    return known;
  }
}

/** Throws IssuerRefusal while too many old keys are valid. */
function rotated(state: IdentityState, created: StoredKey, nowMs: number): IdentityState {
  const [signing, ...old] = state.keys;
  const holding = old.filter(({ holdsUntilMs = 0 }) => holdsUntilMs > nowMs);
  if (holding.length + 2 > keysMax) {
    throw new IssuerRefusal(
      'TooManyKeys',
      `There are already ${keysMax} keys, the maximum. An old key is kept for a day, until the tokens that it signed have expired.`,
    );
  }
  return { ...state, keys: [created, { ...signing, holdsUntilMs: nowMs + tokenSecondsMax * 1000 }, ...holding] };
}
