// Makes the headers by which the stored CORS rules take effect in a browser. One function makes the headers of a
// response to a preflight request, and another makes the headers of every other response. The rules determine only
// headers. They never prevent a request from being carried out.

import { faultHeader, tokenHeader } from '../model/request-source.ts';
import type { CorsRule } from '../model/service-properties.ts';
import type { HttpHeader, HttpHeaders } from './http-headers.ts';

export interface CorsTarget {
  /** Undefined if the request has no Origin; then only a rule for all origins applies. */
  readonly origin: string | undefined;
  readonly method: string;
}

/**
 * Returns the rule for a request: the first rule whose origins and methods match, regardless of the request's headers.
 * The comparison of origins is case-sensitive. Evidence: documented (CORS support for Azure Storage; the tests contain
 * the example of that page).
 */
export function selectRule(rules: readonly CorsRule[], { origin, method }: CorsTarget): CorsRule | undefined {
  return rules.find((rule) => rule.allowedMethods.includes(method) && isOriginAllowed(rule, origin));
}

function isOriginAllowed(rule: CorsRule, origin: string | undefined): boolean {
  return isForAll(rule) || (origin !== undefined && rule.allowedOrigins.includes(origin));
}

const isForAll = ({ allowedOrigins }: CorsRule): boolean => allowedOrigins.includes('*');

/** Headers that no rule allows a page to send. */
const forbiddenHeaders: ReadonlySet<string> = new Set([faultHeader, tokenHeader]);

/**
 * The maximum number of headers that a preflight request may ask for. A preflight request is anonymous, and each header
 * costs a comparison. Evidence: assumed.
 */
const requestHeadersMax = 256;

export interface Preflight {
  readonly origin: string;
  /** Access-Control-Request-Method. */
  readonly method: string;
  /** Access-Control-Request-Headers, as sent. */
  readonly requestHeaders: string | undefined;
}

/**
 * Returns the CORS headers of the response to a preflight request, or undefined if the service refuses the request.
 * Evidence: documented (CORS support for Azure Storage); assumed (credentials are allowed for a named origin, but not
 * for `*`).
 */
export function preflightHeaders(
  rules: readonly CorsRule[],
  { origin, method, requestHeaders }: Preflight,
): HttpHeaders | undefined {
  const rule = selectRule(rules, { origin, method });
  if (rule === undefined) return undefined;
  const items = (requestHeaders ?? '').split(',', requestHeadersMax + 1);
  if (items.length > requestHeadersMax) return undefined;
  const names = items.map((item) => item.trim()).filter((name) => name !== '');
  if (names.some((name) => forbiddenHeaders.has(name.toLowerCase()))) return undefined;
  const { allowed } = matchersOf(rule);
  if (!names.every((name) => isNameMatched(allowed, name))) return undefined;
  const headers: HttpHeader[] = [...originHeaders(rule, origin), ['Access-Control-Allow-Methods', method]];
  if (requestHeaders !== undefined && names.length > 0) headers.push(['Access-Control-Allow-Headers', requestHeaders]);
  headers.push(['Access-Control-Max-Age', String(rule.maxAgeSeconds)]);
  return headers;
}

export interface CorsResponse extends CorsTarget {
  /** Headers of the response before CORS headers are added, in their order. */
  readonly responseHeaderNames: readonly string[];
}

const none: HttpHeaders = [];

/**
 * Returns the CORS headers of the response to a request that is not a preflight. The response may be an error. Returns
 * no headers if no rules are stored. Also returns none if the request has no Origin and its method is neither GET nor
 * HEAD. Evidence: recorded and documented for GET; recorded for the other methods.
 */
export function corsHeaders(
  rules: readonly CorsRule[],
  { origin, method, responseHeaderNames }: CorsResponse,
): HttpHeaders {
  if (rules.length === 0) return none;
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead && origin === undefined) return none;
  const rule = selectRule(rules, { origin, method });
  if (rule === undefined) return isRead ? varying : none;
  const headers = isRead && !isForAll(rule) ? [...varying] : [];
  const exposed = exposedNames(rule, responseHeaderNames);
  if (exposed !== '') headers.push(['Access-Control-Expose-Headers', exposed]);
  headers.push(...originHeaders(rule, origin));
  return headers;
}

/** Tells caches that the response depends on the Origin. */
const varying: HttpHeaders = [['Vary', 'Origin']];

/**
 * Returns the headers that allow an origin. Evidence: documented (CORS support for Azure Storage); assumed (a named
 * origin gets Access-Control-Allow-Credentials).
 */
function originHeaders(rule: CorsRule, origin: string | undefined): HttpHeaders {
  if (origin === undefined || isForAll(rule)) return [['Access-Control-Allow-Origin', '*']];
  return [
    ['Access-Control-Allow-Origin', origin],
    ['Access-Control-Allow-Credentials', 'true'],
  ];
}

/** The names at the start of the list, in this order, if the response has them. Evidence: recorded. */
const leadingNames = [
  'x-ms-request-id',
  'x-ms-client-request-id',
  'Server',
  'x-ms-version',
  'X-Content-Type-Options',
  'Cache-Control',
];
/**
 * The names at the end of the list of exposed headers. A name is in the list even if the response lacks this header. If
 * the response has a Content-Type, the name Content-Type precedes these names. Evidence: recorded.
 */
const trailingNames = ['Content-Length', 'Date', 'Transfer-Encoding'];
const placedNames: ReadonlySet<string> = new Set(
  [...leadingNames, 'Content-Type', ...trailingNames].map((name) => name.toLowerCase()),
);

/** Lists the headers of the response that the rule exposes, instead of repeating the rule. */
function exposedNames(rule: CorsRule, responseHeaderNames: readonly string[]): string {
  const { exposed } = matchersOf(rule);
  if (exposed.prefixes.length === 0 && exposed.names.size === 0) return '';
  const present = new Set(responseHeaderNames.map((name) => name.toLowerCase()));
  const names = leadingNames.filter((name) => present.has(name.toLowerCase()));
  names.push(...responseHeaderNames.filter((name) => !placedNames.has(name.toLowerCase())));
  if (present.has('content-type')) names.push('Content-Type');
  names.push(...trailingNames);
  return names.filter((name) => isNameMatched(exposed, name)).join(',');
}

interface NameMatcher {
  /** In lower case, like the prefixes. */
  readonly names: ReadonlySet<string>;
  readonly prefixes: readonly string[];
}

interface RuleMatchers {
  readonly allowed: NameMatcher;
  readonly exposed: NameMatcher;
}

/** Cached, since every request needs them and a rule never changes. */
const matchers = new WeakMap<CorsRule, RuleMatchers>();

function matchersOf(rule: CorsRule): RuleMatchers {
  const known = matchers.get(rule);
  if (known !== undefined) return known;
  const made = { allowed: createMatcher(rule.allowedHeaders), exposed: createMatcher(rule.exposedHeaders) };
  matchers.set(rule, made);
  return made;
}

function createMatcher(list: readonly string[]): NameMatcher {
  const lower = list.map((name) => name.toLowerCase());
  return {
    names: new Set(lower.filter((name) => !name.endsWith('*'))),
    prefixes: lower.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1)),
  };
}

function isNameMatched({ names, prefixes }: NameMatcher, name: string): boolean {
  const lower = name.toLowerCase();
  return names.has(lower) || prefixes.some((prefix) => lower.startsWith(prefix));
}
