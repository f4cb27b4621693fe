// The state of an issuer, as JSON: its tenant, its keys, and the principals that it made. The state is secret.

import { createPublicKey, generateKeyPair, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { defaultClientId, defaultObjectId, isGuid } from './identifiers.ts';
import { keyIdOf } from './jwt.ts';
import { type PrincipalRole, readRoles } from './principal-role.ts';

export interface StoredKey {
  readonly kid: string;
  /** PKCS 8, as PEM. */
  readonly privateKey: string;
  /** For a retired key: until when its tokens can be valid, in model time. Absent for the key that signs. */
  readonly holdsUntilMs?: number;
}

export interface StoredPrincipal {
  readonly name: string;
  readonly clientId: string;
  readonly objectId: string;
  readonly secret: string;
  /** If absent, the principal has the default roles. */
  readonly roles?: readonly PrincipalRole[];
}

/** The certificate of the default principal, made when it is first needed. */
export interface StoredCertificate {
  readonly certificate: string;
  readonly privateKey: string;
}

export interface IdentityState {
  readonly version: 1;
  /** The first key signs. */
  readonly keys: readonly [StoredKey, ...StoredKey[]];
  /** Signs the tokens that a workload sends instead of a secret: P-256, PKCS 8, as PEM. */
  readonly federationKey: string;
  /** The value of IDENTITY_HEADER, which App Service gives a program. */
  readonly identityHeader: string;
  /** The first principal is the default, for managed identity and for the variables of `tanzanite env`. */
  readonly principals: readonly [StoredPrincipal, ...StoredPrincipal[]];
  readonly certificate?: StoredCertificate;
}

const generateKeys = promisify(generateKeyPair);
const pem = { type: 'pkcs8', format: 'pem' } as const;

/** Makes a key. This takes a tenth of a second, on another thread. */
export async function createStoredKey(): Promise<StoredKey> {
  const { privateKey } = await generateKeys('rsa', { modulusLength: 2048 });
  return { kid: keyIdOf(createPublicKey(privateKey)), privateKey: privateKey.export(pem) as string };
}

export async function createIdentityState(): Promise<IdentityState> {
  const { privateKey: federationKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    version: 1,
    keys: [await createStoredKey()],
    federationKey: federationKey.export(pem) as string,
    identityHeader: createSecret(),
    principals: [createPrincipal({ name: 'default', clientId: defaultClientId, objectId: defaultObjectId })],
  };
}

type PrincipalParts = Pick<StoredPrincipal, 'name'> & Partial<Omit<StoredPrincipal, 'name' | 'secret'>>;

export function createPrincipal({ name, clientId, objectId, roles }: PrincipalParts): StoredPrincipal {
  return {
    name,
    clientId: clientId ?? randomUUID(),
    objectId: objectId ?? randomUUID(),
    secret: createSecret(),
    ...(roles && { roles }),
  };
}

/** A secret of only letters and digits, so that shells and variable files need no quotes. */
const createSecret = (): string => randomBytes(24).toString('hex');

/** Throws an Error that says what is wrong, without repeating the text. */
export function parseIdentityState(text: string): IdentityState {
  const given = parseObject(text);
  if (given['version'] !== 1) throw new Error('it is of another version of Tanzanite');
  const keys = listOf(given['keys']).map(readKey);
  const principals = listOf(given['principals']).map(readPrincipal);
  const [key, ...otherKeys] = keys;
  const [principal, ...otherPrincipals] = principals;
  if (!key || !principal) throw damaged();
  const certificate = given['certificate'];
  return {
    version: 1,
    keys: [key, ...otherKeys],
    federationKey: readText(given['federationKey']),
    identityHeader: readText(given['identityHeader']),
    principals: [principal, ...otherPrincipals],
    ...(certificate === undefined ? {} : { certificate: readCertificate(certificate) }),
  };
}

function readKey(value: unknown): StoredKey {
  const { kid, privateKey, holdsUntilMs } = objectOf(value);
  const key = { kid: readText(kid), privateKey: readText(privateKey) };
  if (holdsUntilMs === undefined) return key;
  if (typeof holdsUntilMs !== 'number') throw damaged();
  return { ...key, holdsUntilMs };
}

function readPrincipal(value: unknown): StoredPrincipal {
  const { name, clientId, objectId, secret, roles } = objectOf(value);
  if (!isGuid(clientId) || !isGuid(objectId)) throw damaged();
  return {
    name: readText(name),
    clientId,
    objectId,
    secret: readText(secret),
    ...(roles === undefined ? {} : { roles: readRoles(roles) }),
  };
}

function readCertificate(value: unknown): StoredCertificate {
  const { certificate, privateKey } = objectOf(value);
  return { certificate: readText(certificate), privateKey: readText(privateKey) };
}

type Members = Readonly<Record<string, unknown>>;

function parseObject(text: string): Members {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    throw damaged();
  }
}

function objectOf(value: unknown): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw damaged();
  return value as Members;
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw damaged();
  return value;
}

function readText(value: unknown): string {
  if (typeof value !== 'string' || value === '') throw damaged();
  return value;
}

const damaged = (): Error => new Error('it is damaged');
