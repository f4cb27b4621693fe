// Takes a token apart in the browser. No part of it is sent anywhere.

export interface ReadToken {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

const charsMax = 65_536;

/** Reads a token, or a header with one. Undefined for a text that is not a token in the compact form. */
export function takeTokenApart(text: string): ReadToken | undefined {
  const token = text.trim().replace(/^(?:authorization:\s*)?bearer\s+/i, '');
  if (token.length > charsMax) return undefined;
  const parts = token.split('.');
  const [head, body] = parts;
  if (parts.length !== 3 || head === undefined || body === undefined) return undefined;
  const [header, claims] = [readPart(head), readPart(body)];
  return header && claims ? { header, claims } : undefined;
}

function readPart(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const binary = atob(part.replaceAll('-', '+').replaceAll('_', '/'));
    const text = new TextDecoder('utf-8', { fatal: true }).decode(
      Uint8Array.from(binary, (char) => char.charCodeAt(0)),
    );
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** What a member says. Source: docs, Access token claims reference. */
const meanings: Readonly<Record<string, string>> = {
  alg: 'How it is signed. Microsoft Entra signs with RS256.',
  kid: 'Which key signed it.',
  x5t: 'Which certificate signed it.',
  typ: 'The type of the token.',
  aud: 'The service that the token is for. https://storage.azure.com is the table service.',
  iss: 'Who issued it.',
  iat: 'When it was issued.',
  nbf: 'When it becomes valid.',
  exp: 'When it expires.',
  appid: 'The application that asked for it.',
  azp: 'The application that asked for it.',
  appidacr: 'How the application proved its identity: 1 with a secret, 2 with a certificate.',
  idtyp: 'Whether the token belongs to an application or to a user.',
  oid: 'The principal: roles are assigned to it.',
  sub: 'The principal.',
  tid: 'The tenant.',
  scp: 'What the user lets the application do.',
  roles: 'Roles of the application, which say nothing about tables.',
  uti: 'The id of the token, for logs.',
  ver: 'The version of the token format.',
  emulator: 'It was issued by an emulator.',
};

export const meaningOf = (name: string): string => (Object.hasOwn(meanings, name) ? (meanings[name] ?? '') : '');

const times: ReadonlySet<string> = new Set(['iat', 'nbf', 'exp', 'auth_time']);

/**
 * Returns the time of a claim, in milliseconds since 1970. Returns undefined if the claim is not a time, or is too
 * large for a date.
 */
export function timeOf(name: string, value: unknown): number | undefined {
  if (!times.has(name) || typeof value !== 'number') return undefined;
  return Math.abs(value) <= 8.64e12 ? value * 1000 : undefined;
}

export interface Expected {
  /** The tenant of the emulator's issuer; undefined if the emulator has no issuer. */
  readonly tenantId: string | undefined;
  /** The ids of the issuer's keys. */
  readonly kids: readonly string[];
  readonly nowMs: number;
}

const audiences = ['https://storage.azure.com', 'e406a681-f3d4-42a8-90b6-c2b029497af1'];

/** Why the table service would refuse a token, as far as can be told without the key. */
export function concernsAbout({ header, claims }: ReadToken, { tenantId, kids, nowMs }: Expected): readonly string[] {
  const { aud, exp, nbf, tid } = claims;
  const [expMs, nbfMs] = [timeOf('exp', exp), timeOf('nbf', nbf)];
  const isOwn = tenantId !== undefined && tid === tenantId;
  const concerns: (string | false)[] = [
    header['alg'] !== 'RS256' && 'alg is not RS256.',
    expMs === undefined && 'exp is missing, or is not a time.',
    expMs !== undefined && expMs <= nowMs && "It has expired, by this browser's clock.",
    nbfMs !== undefined && nbfMs > nowMs && "It is not valid yet, by this browser's clock.",
    !isAudience(aud) && 'aud is not the table service: https://storage.azure.com or the address of an account.',
    tenantId !== undefined && !isOwn && 'tid is not the tenant of this emulator.',
    isOwn && !kids.includes(String(header['kid'])) && 'kid is not a key of this emulator.',
  ];
  return concerns.filter((concern) => concern !== false);
}

function isAudience(aud: unknown): boolean {
  if (typeof aud !== 'string') return false;
  const plain = aud.replace(/\/$/, '');
  return audiences.includes(plain) || /^https:\/\/[a-z\d]+\.table\./.test(plain);
}
