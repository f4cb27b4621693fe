// Reads the address of a request from the unchanged request line. The URL parser of a framework would decode characters
// that must stay encoded (for example a `%2F` in a key). It would also refuse addresses for which the service has its
// own responses.

import type { EntityKey } from '../model/entity.ts';
import { quote } from '../model/printable-text.ts';
import { querySyntaxError, ServiceError } from '../model/service-error.ts';
import { hasTableNameCharacters, type TableReference, tableReference } from '../model/table-name.ts';
import { parseEntityKey, parseTableKey } from './key-predicate.ts';
import { type ParsedQuery, parseQueryOptions } from './query-options.ts';

/**
 * What an address names. The service authenticates the caller before it refuses an address of the kind `unreadable` or
 * `unroutable`.
 */
export type Resource =
  | { readonly kind: 'service' }
  | { readonly kind: 'tables' }
  | { readonly kind: 'table'; readonly table: TableReference }
  | { readonly kind: 'entities'; readonly table: TableReference }
  | { readonly kind: 'entity'; readonly table: TableReference; readonly key: EntityKey }
  | { readonly kind: 'batch' }
  /** A second segment below a table, such as `/pets/Tables` or `/pets/Tables('x')`. */
  | { readonly kind: 'navigation'; readonly table: TableReference; readonly hasKey: boolean }
  | { readonly kind: 'unreadable'; readonly refusal: ServiceError }
  | { readonly kind: 'unroutable'; readonly why: string };

export interface Address {
  /** Name of the account, without `-secondary`. */
  readonly account: string;
  readonly secondary: boolean;
  /** Start of the addresses in responses: scheme, host and, in path style, account. No slash at the end. */
  readonly base: string;
  /** The path exactly as on the wire: it is what a client signs. */
  readonly wirePath: string;
  readonly query: ParsedQuery;
  readonly resource: Resource;
}

export interface ParseAddressOptions {
  readonly scheme: 'http' | 'https';
  /** Whether a host such as `account.table.…` names the account; otherwise the path always does. */
  readonly isHostStyleKnown: boolean;
}

const hostStyle = /^([a-z0-9]{3,24})(-secondary)?\.table\./i;
/** A name, an IPv4 or a bracketed IPv6 address, each with or without a port (RFC 9110, 7.2). */
const hostForm = /^(?:[\w.~!$&'()*+,;=-]+|\[[\da-f:.]+\])(?::\d*)?$/i;
const pathStyle = /^\/([^/?]+)/;
const secondarySuffix = '-secondary';

/**
 * Parses a request target (origin form or absolute form) and the Host header. Throws HostInformationNotPresent if the
 * Host header is missing, InvalidHeaderValue if the Host header is malformed (evidence: assumed), and InvalidUri if no
 * account is named.
 */
export function parseAddress(target: string, host: string, { scheme, isHostStyleKnown }: ParseAddressOptions): Address {
  if (host === '') {
    throw new ServiceError('HostInformationNotPresent', { stage: 'frontEnd', why: 'The request has no Host header.' });
  }
  if (!hostForm.test(host)) {
    throw new ServiceError('InvalidHeaderValue', { stage: 'frontEnd', why: `${quote(host)} in Host is not a host.` });
  }
  const { wirePath, query } = parseTarget(target);
  const authority = `${scheme}://${host}`;

  const byHost = isHostStyleKnown ? hostStyle.exec(host) : null;
  if (byHost) {
    const [, name = '', suffix] = byHost;
    const account = name.toLowerCase();
    const secondary = suffix !== undefined;
    return { account, secondary, base: authority, wirePath, query, resource: parseResource(wirePath, account) };
  }
  const segment = pathStyle.exec(wirePath)?.[1];
  if (segment === undefined) {
    const why = 'The path names no account: /devstoreaccount1/Tables.';
    throw new ServiceError('InvalidUri', { stage: 'frontEnd', why });
  }
  const secondary = segment.endsWith(secondarySuffix);
  const account = secondary ? segment.slice(0, -secondarySuffix.length) : segment;
  const root = secondary && repeatsAccount(wirePath, segment, account) ? `/${segment}/${account}` : `/${segment}`;
  const resource = parseResource(wirePath.slice(root.length), account);
  return { account, secondary, base: authority + root, wirePath, query, resource };
}

/**
 * Whether the path to a secondary contains the account twice, as in `/acct-secondary/acct/`. Evidence: sdk
 * (get_service_stats in azure-data-tables 12.7 for Python makes such a path from an endpoint in path style).
 */
function repeatsAccount(wirePath: string, segment: string, account: string): boolean {
  const end = segment.length + account.length + 2;
  return wirePath.startsWith(`/${account}`, segment.length + 1) && (wirePath.length === end || wirePath[end] === '/');
}

/**
 * Parses the target of a request inside a batch. The target is an absolute URL, or a path that begins at the root of
 * the host. Old clients send a path that begins at the root of the account. The host in an absolute URL is not compared
 * with the host of the batch. Evidence: recorded (py-cosmosdb-table, go-storage); assumed (the host is not compared).
 */
export function parseInnerAddress(target: string, outer: Address): Address {
  const { wirePath, query } = parseTarget(target);
  const { account, secondary, base } = outer;
  return {
    account,
    secondary,
    base,
    wirePath,
    query,
    resource: parseResource(belowAccount(wirePath, account), account),
  };
}

function parseTarget(target: string): Pick<Address, 'wirePath' | 'query'> {
  const origin = target.startsWith('/') ? target : withoutAuthority(target);
  const question = origin.indexOf('?');
  if (question === -1) return { wirePath: origin, query: parseQueryOptions('') };
  return { wirePath: origin.slice(0, question), query: parseQueryOptions(origin.slice(question + 1)) };
}

/** Cuts off the account or its secondary. A batch to either of them may contain both forms. */
function belowAccount(wirePath: string, account: string): string {
  const slash = wirePath.indexOf('/', 1);
  if (slash === -1) return wirePath;
  const segment = wirePath.slice(1, slash);
  return segment === account || segment === account + secondarySuffix ? wirePath.slice(slash) : wirePath;
}

function withoutAuthority(target: string): string {
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '');
  return path.startsWith('/') ? path : `/${path}`;
}

/** The raw first segment ends at a slash or a parenthesis; an encoded slash is part of the name. */
const firstSegment = /^\/((?:[^/(%]|%(?!28))*)(.*)$/s;
const wholeSet = /^(?:\(\s*\))?\/?$/;
const keyed = /^\((.*)\)$/s;
/** A table's address may end in a slash. Evidence: assumed. */
const tableKeyed = /^\((.*)\)\/?$/s;
const navigation = /^\/[^(]+(\(.*\))?$/s;

/**
 * Finds out what a path below the account names. Parentheses and quotes may be encoded, so the name and the rest of the
 * path are each decoded once. The result may contain a name that no table can have. Evidence: recorded; sdk
 * (azure-sdk-for-python, test_table_name_errors: `a%2F%2F` counts as a name); a slash after `Tables('x')` is assumed.
 */
export function parseResource(wirePath: string, account: string): Resource {
  if (wirePath === '' || wirePath === '/') return { kind: 'service' };
  const [, rawName = '', rawRest = ''] = firstSegment.exec(wirePath) ?? [];
  const [name, rest] = [decode(rawName), decode(rawRest)];
  if (name === undefined || rest === undefined)
    return unreadable(querySyntaxError(`The path ${quote(wirePath)} is not percent-encoded UTF-8.`));
  if (name === '') {
    const why = rawRest.startsWith('/')
      ? 'The path has two slashes: an endpoint must not end in a slash.'
      : `The path ${quote(wirePath)} names no table.`;
    return { kind: 'unroutable', why };
  }
  if (name === '$batch' && rest === '') return { kind: 'batch' };

  const table = tableReference(name);
  if (wholeSet.test(rest)) return name === 'Tables' ? { kind: 'tables' } : { kind: 'entities', table };
  const type = `${account}.${table.name}`;
  if (name === 'Tables') {
    const tableKey = tableKeyed.exec(rest)?.[1];
    const key = tableKey === undefined ? undefined : parseTableKey(tableKey, type);
    if (key instanceof ServiceError) return unreadable(key);
    if (key !== undefined) return { kind: 'table', table: tableReference(key) };
  }
  const below = navigation.exec(rest);
  if (below && hasTableNameCharacters(table)) return { kind: 'navigation', table, hasKey: below[1] !== undefined };

  const keyText = keyed.exec(rest)?.[1];
  if (keyText === undefined) {
    const [segment = ''] = rest.split('/', 1);
    if (segment.startsWith('(') && !segment.endsWith(')'))
      return unreadable(querySyntaxError(`The parenthesis after ${quote(name)} is not closed.`));
    return { kind: 'unroutable', why: `The table ${quote(name)} has nothing named ${quote(rest)}.` };
  }
  const key = parseEntityKey(keyText, type);
  return key instanceof ServiceError ? unreadable(key) : { kind: 'entity', table, key };
}

function decode(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function unreadable(refusal: ServiceError): Resource {
  return { kind: 'unreadable', refusal };
}

/**
 * Returns the part of an entity's address after the base, in the form that `Location`, `odata.id` and `odata.editLink`
 * contain. Evidence: recorded.
 */
export function entityPathOf(table: string, { partitionKey, rowKey }: EntityKey): string {
  return `${table}(PartitionKey='${encodeKey(partitionKey)}',RowKey='${encodeKey(rowKey)}')`;
}

function encodeKey(text: string): string {
  return encodeURIComponent(text.includes("'") ? text.replaceAll("'", "''") : text);
}
