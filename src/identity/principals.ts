// Who may request tokens: the principals of a file, and the principals that the emulator created.

import { createHash, timingSafeEqual, X509Certificate } from 'node:crypto';
import { isGuid } from './identifiers.ts';
import type { IdentityState } from './identity-state.ts';
import { type PrincipalRole, readRoles } from './principal-role.ts';

/** An application with its service principal. */
export interface Principal {
  readonly name: string;
  /** The application: `appid` in tokens. */
  readonly clientId: string;
  /** The service principal: `oid` and `sub` in tokens. */
  readonly objectId: string;
  readonly secrets: readonly string[];
  readonly certificates: readonly X509Certificate[];
  /** If absent, the principal has the default roles. */
  readonly roles?: readonly PrincipalRole[];
  readonly from: 'file' | 'made here';
}

/** The content of a file of principals. */
export interface PrincipalsFile {
  readonly tenantId?: string;
  readonly principals: readonly Principal[];
}

export function storedPrincipals({ principals, certificate }: IdentityState): Principal[] {
  return principals.map(({ secret, ...principal }, at) => ({
    ...principal,
    secrets: [secret],
    certificates: at === 0 && certificate ? [new X509Certificate(certificate.certificate)] : [],
    from: 'made here',
  }));
}

/** Takes the same time for a wrong secret as for the right one. */
export function hasSecret({ secrets }: Pick<Principal, 'secrets'>, sent: string): boolean {
  return secrets.filter((secret) => isSameSecret(secret, sent)).length > 0;
}

/** Compares hashes, which have equal lengths, in constant time. */
export const isSameSecret = (secret: string, sent: string): boolean => timingSafeEqual(hash(secret), hash(sent));

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();

type Members = Readonly<Record<string, unknown>>;

const principalsMax = 1_000;
const memberNames = ['name', 'clientId', 'objectId', 'secret', 'secrets', 'certificate', 'certificates', 'roles'];

/**
 * Reads `{ tenantId?, principals: [{ clientId, objectId?, name?, secret(s)?, certificate(s)?, roles? }] }`. If a
 * certificate is given as a file name, `readCertificate` reads the file. Throws an Error that names the problem and the
 * member of the object where it occurs.
 */
export function parsePrincipals(text: string, readCertificate: (file: string) => string): PrincipalsFile {
  const { tenantId, principals, ...rest } = objectOf(parseJson(text), 'the file');
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw new Error(`there is no member ${unknown}; the members are tenantId, principals`);
  if (tenantId !== undefined && !isGuid(tenantId)) throw new Error('tenantId must be a GUID');
  if (!Array.isArray(principals)) throw new Error('principals must be a list');
  if (principals.length > principalsMax) throw new Error(`there are at most ${principalsMax} principals`);
  const read = principals.map((given, at) => readPrincipal(given, `principals[${at}]`, readCertificate));
  const ids = read.map(({ clientId }) => clientId);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) throw new Error(`two principals have the clientId ${twice}`);
  return { ...(tenantId === undefined ? {} : { tenantId: tenantId.toLowerCase() }), principals: read };
}

function readPrincipal(given: unknown, place: string, readCertificate: (file: string) => string): Principal {
  const members = objectOf(given, place);
  const unknown = Object.keys(members).find((name) => !memberNames.includes(name));
  if (unknown !== undefined) {
    throw new Error(`${place}: there is no member ${unknown}; the members are ${memberNames.join(', ')}`);
  }
  const { clientId, objectId = clientId, name = String(clientId).toLowerCase(), secret, certificate, roles } = members;
  if (!isGuid(clientId)) throw new Error(`${place}.clientId must be a GUID`);
  if (!isGuid(objectId)) throw new Error(`${place}.objectId must be a GUID`);
  if (typeof name !== 'string' || name === '') throw new Error(`${place}.name must be a text`);
  return {
    name,
    clientId: clientId.toLowerCase(),
    objectId: objectId.toLowerCase(),
    secrets: textsOf(secret ?? members['secrets'], `${place}.secrets`),
    certificates: textsOf(certificate ?? members['certificates'], `${place}.certificates`).map((text) =>
      certificateOf(text, { place, readCertificate }),
    ),
    ...(roles === undefined ? {} : { roles: rolesOf(roles, place) }),
    from: 'file',
  };
}

function rolesOf(given: unknown, place: string): readonly PrincipalRole[] {
  try {
    return readRoles(given);
  } catch (error) {
    throw new Error(`${place}.roles: ${error instanceof Error ? error.message : error}`);
  }
}

interface CertificateSource {
  readonly place: string;
  readonly readCertificate: (file: string) => string;
}

/** The certificate in a PEM text, or in the file that the text names. */
function certificateOf(text: string, { place, readCertificate }: CertificateSource): X509Certificate {
  const isPem = text.startsWith('-----BEGIN');
  try {
    return new X509Certificate(isPem ? text : readCertificate(text));
  } catch (error) {
    const reason = error instanceof Error && 'syscall' in error ? error.message : 'it is not a certificate in PEM';
    throw new Error(`${place}.certificates: ${isPem ? 'a text' : text}: ${reason}`);
  }
}

/** One text, or a list of them. */
function textsOf(value: unknown, place: string): readonly string[] {
  const list = value === undefined ? [] : Array.isArray(value) ? value : [value];
  if (list.length <= 10 && list.every((text) => typeof text === 'string' && text !== '')) return list;
  throw new Error(`${place} must be a text, or a list of at most 10`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('it is not JSON');
  }
}

function objectOf(value: unknown, place: string): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  throw new Error(`${place} must be an object`);
}
