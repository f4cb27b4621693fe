// The common parts of table signatures and account signatures: clauses, dates, and restrictions on the caller.
// Evidence: documented (Create an account SAS, Create a service SAS); the refusal of a malformed clause is assumed.

import type { KeyObject } from 'node:crypto';
import { quote } from '../model/printable-text.ts';
import { ServiceError } from '../model/service-error.ts';
import { parseDateTime, type Ticks, ticksFromMs, ticksPerSecond } from '../model/ticks.ts';
import { authenticationFailed } from './authentication-refused.ts';
import { explainSignature, type Variant } from './explain-signature.ts';
import { isSignedBy } from './shared-key.ts';

/**
 * The clauses of a signature by name. Names are in lower case. Values are decoded, but not changed in any other way.
 */
export type Clauses = ReadonlyMap<string, string>;

/** A request with a shared access signature. */
export interface SasRequest {
  /** Without `-secondary`. */
  readonly account: string;
  readonly clauses: Clauses;
  readonly keys: readonly KeyObject[];
  readonly nowMs: number;
  readonly isSecure: boolean;
  readonly remoteAddress: string;
}

/** The clauses of a query, or undefined for a query without `sig`. Evidence: assumed (names in any case). */
export function readClauses(query: ReadonlyMap<string, string> | undefined): Clauses | undefined {
  if (!query || query.size === 0) return undefined;
  const clauses = new Map([...query].map(([name, value]) => [name.toLowerCase(), value]));
  return clauses.has('sig') ? clauses : undefined;
}

/** Every clause that a table or an account signature may have. */
const clauseNames = 'sv sp st se si sip spr ses ss srt tn spk srk epk erk sig'.split(' ');

/** Refuses a clause that the query holds twice, even with the same value. Evidence: assumed. */
export function refuseRepeatedClause(repeatedNames: ReadonlySet<string>): void {
  const repeated = clauseNames.find((name) => repeatedNames.has(name));
  if (repeated !== undefined) throw authenticationFailed(() => [`The query holds ${repeated} more than once.`]);
}

/** A clause, or the empty string: an empty clause counts as absent. Evidence: assumed. */
export function clause(clauses: Clauses, name: string): string {
  return clauses.get(name) ?? '';
}

/** From this version on signatures may restrict addresses and protocols, and refusals have separate codes. */
export const callerVersion = '2015-04-05';
const versionPattern = /^\d{4}-\d\d-\d\d$/;

export function checkVersion(clauses: Clauses, versionMin: string): void {
  const version = clause(clauses, 'sv');
  if (versionPattern.test(version) && version >= versionMin) return;
  throw authenticationFailed(() => [`sv ${quote(version)} is not a version from ${versionMin} on.`]);
}

/** 32 bytes in base64. A plus sign may arrive as a space. */
const signaturePattern = /^[A-Za-z0-9+/]{43}=$/;

export interface SignedText {
  readonly text: string;
  /** Texts that clients sign by mistake. */
  readonly variants: () => readonly Variant[];
}

export function checkSignature({ clauses, keys }: SasRequest, { text, variants }: SignedText): void {
  const given = clause(clauses, 'sig').replaceAll(' ', '+');
  if (!signaturePattern.test(given)) throw authenticationFailed(() => ['sig is not 32 bytes in base64.']);
  // The last letter has unused bits. Decoding and encoding the text sets them to zero.
  const signature = Buffer.from(given, 'base64').toString('base64');
  if (isSignedBy(keys, text, signature)) return;
  throw authenticationFailed(() => explainSignature({ expected: text, variants, keys, signature }));
}

export interface Lifetime {
  readonly start: Ticks | undefined;
  readonly expiry: Ticks | undefined;
}

const datePattern = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d))?$/;

/** Reads `st` and `se`. Evidence: recorded (fractions of a second are refused); documented (the rest). */
export function readLifetime(clauses: Clauses): Lifetime {
  return { start: readDate(clauses, 'st'), expiry: readDate(clauses, 'se') };
}

function readDate(clauses: Clauses, name: string): Ticks | undefined {
  const text = clause(clauses, name);
  if (text === '') return undefined;
  const ticks = datePattern.test(text) ? readMoment(text) : undefined;
  if (ticks !== undefined) return ticks;
  throw authenticationFailed(() => [
    `${name} ${quote(text)} is not a date: YYYY-MM-DD, alone or with Thh:mm or Thh:mm:ss and Z or an offset.`,
  ]);
}

/** A date without a time is midnight UTC. */
export function readMoment(text: string): Ticks | undefined {
  return parseDateTime(text.includes('T') ? text : `${text}T00:00:00Z`);
}

export interface LifetimeTexts {
  readonly start: string;
  readonly expiry: string;
}

/** Throws unless now is at or after the start and before the expiry. Evidence: recorded (expiry), documented. */
export function checkLifetime({ start, expiry }: Lifetime, texts: LifetimeTexts, nowMs: number): void {
  const now = ticksFromMs(nowMs);
  if (start !== undefined && now < start) {
    throw authenticationFailed(() => [`${texts.start} is ${spellTicks(start - now)} ahead.`]);
  }
  if (expiry === undefined)
    throw authenticationFailed(() => ['There is no se in the signature or in a stored policy.']);
  if (now >= expiry) throw authenticationFailed(() => [`${texts.expiry} passed ${spellTicks(now - expiry)} ago.`]);
}

/** Restrictions of the caller: `sip` and `spr`. */
export interface CallerRestrictions {
  readonly addresses: readonly [low: number, high: number] | undefined;
  readonly isSecureOnly: boolean;
}

/**
 * Reads `sip` and `spr`. A signature of a version before 2015-04-05 does not cover these clauses, so they are ignored.
 */
export function readCallerRestrictions(clauses: Clauses): CallerRestrictions {
  if (clause(clauses, 'sv') < callerVersion) return { addresses: undefined, isSecureOnly: false };
  const protocols = clause(clauses, 'spr');
  if (!['', 'https', 'https,http'].includes(protocols)) {
    throw authenticationFailed(() => [`spr ${quote(protocols)} is neither https nor https,http.`]);
  }
  return { addresses: readAddresses(clause(clauses, 'sip')), isSecureOnly: protocols === 'https' };
}

function readAddresses(text: string): [number, number] | undefined {
  if (text === '') return undefined;
  const [low = '', high = low, ...more] = text.split('-');
  const range: [number, number] = [addressNumber(low), addressNumber(high)];
  if (more.length === 0 && range.every((address) => !Number.isNaN(address))) return range;
  throw authenticationFailed(() => [`sip ${quote(text)} is neither an IPv4 address nor two joined by a hyphen.`]);
}

/** Evidence: documented (texts); assumed (address before protocol, the stage). */
export function checkCaller(
  { addresses, isSecureOnly }: CallerRestrictions,
  { clauses, remoteAddress, isSecure }: SasRequest,
): void {
  const caller = plainAddress(remoteAddress);
  const address = addressNumber(caller);
  if (addresses && !(addresses[0] <= address && address <= addresses[1])) {
    const message = `This request is not authorized to perform this operation using this source IP ${caller}.`;
    const why = () => [`sip is ${clause(clauses, 'sip')}; the caller is ${caller}.`];
    throw new ServiceError('AuthorizationSourceIPMismatch', { stage: 'frontEnd', message, why });
  }
  if (isSecureOnly && !isSecure) {
    const why = 'spr is https; the request came by http.';
    throw new ServiceError('AuthorizationProtocolMismatch', { stage: 'frontEnd', why });
  }
}

/** An IPv4 address as a number, or NaN. */
function addressNumber(text: string): number {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (!match) return Number.NaN;
  const bytes = match.slice(1).map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes.reduce((sum, byte) => sum * 256 + byte) : Number.NaN;
}

/** Dual-stack sockets report IPv4 addresses as IPv6 addresses. */
function plainAddress(address: string): string {
  if (address === '::1') return '127.0.0.1';
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

const spans = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

function spellTicks(ticks: Ticks): string {
  return spellSeconds(Number(ticks) / ticksPerSecond);
}

/** A duration in the largest unit that fits, rounded down. */
export function spellSeconds(seconds: number): string {
  const [unit, size] = spans.find(([, secondsOfUnit]) => seconds >= secondsOfUnit) ?? ['second', 1];
  const count = Math.floor(seconds / size);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
