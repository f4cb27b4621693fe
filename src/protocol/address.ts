// The address of a request, read from the request line as it came: the framework's own reading would already have
// decoded what must stay apart (a `%2F` inside a key), or refused what the service answers in its own form.

import type { EntityKey } from '../model/entity.ts';
import { ServiceError } from '../model/service-error.ts';

/** What an address names. `unreadable` and `unroutable` are refused later, once the caller is known. */
export type Resource =
  | { readonly kind: 'service' }
  | { readonly kind: 'tables' }
  | { readonly kind: 'table'; readonly table: string }
  | { readonly kind: 'entities'; readonly table: string }
  | { readonly kind: 'entity'; readonly table: string; readonly key: EntityKey }
  | { readonly kind: 'batch' }
  /** Something below a table, `/pets/Tables` or `/pets/Tables('x')`: the service has nothing there. */
  | { readonly kind: 'navigation'; readonly table: string; readonly hasKey: boolean }
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'unroutable' };

export interface Address {
  /** Without `-secondary`. */
  readonly account: string;
  readonly secondary: boolean;
  /** Start of the addresses in answers: scheme, host and, in path style, account. No slash at the end. */
  readonly base: string;
  /** The path exactly as on the wire: it is what a client signs. */
  readonly wirePath: string;
  /** The query exactly as on the wire, without its question mark. */
  readonly wireQuery: string;
  readonly resource: Resource;
}

export interface AddressOptions {
  readonly scheme: 'http' | 'https';
  /** Whether a host such as `account.table.…` names the account; otherwise the path always does. */
  readonly isHostStyleKnown: boolean;
}

const hostStyle = /^([a-z0-9]{3,24})(-secondary)?\.table\./i;
const pathStyle = /^\/([^/?]+)/;
const secondarySuffix = '-secondary';

/**
 * Reads a request target (origin form or absolute form) and its Host header. Throws
 * HostInformationNotPresent without a host, InvalidUri without an account.
 */
export function parseAddress(target: string, host: string, { scheme, isHostStyleKnown }: AddressOptions): Address {
  if (host === '') throw new ServiceError('HostInformationNotPresent', { stage: 'frontEnd' });
  const origin = target.startsWith('/') ? target : withoutAuthority(target);
  const question = origin.indexOf('?');
  const wirePath = question === -1 ? origin : origin.slice(0, question);
  const wireQuery = question === -1 ? '' : origin.slice(question + 1);
  const authority = `${scheme}://${host}`;

  const byHost = isHostStyleKnown ? hostStyle.exec(host) : null;
  if (byHost) {
    const [, name = '', suffix] = byHost;
    const account = name.toLowerCase();
    const secondary = suffix !== undefined;
    return { account, secondary, base: authority, wirePath, wireQuery, resource: parseResource(wirePath) };
  }
  const segment = pathStyle.exec(wirePath)?.[1];
  if (segment === undefined) throw new ServiceError('InvalidUri', { stage: 'frontEnd' });
  const secondary = segment.endsWith(secondarySuffix);
  const account = secondary ? segment.slice(0, -secondarySuffix.length) : segment;
  const resource = parseResource(wirePath.slice(segment.length + 1));
  return { account, secondary, base: `${authority}/${segment}`, wirePath, wireQuery, resource };
}

/**
 * Reads the target of a request inside a batch: absolute, from the root of the host, or from the service's own root as old
 * clients write it. Its host is not compared with the batch's. Evidence: recorded; about the host, assumed.
 */
export function parseInnerAddress(target: string, outer: Address): Address {
  const origin = target.startsWith('/') ? target : withoutAuthority(target);
  const question = origin.indexOf('?');
  const wirePath = question === -1 ? origin : origin.slice(0, question);
  const wireQuery = question === -1 ? '' : origin.slice(question + 1);
  const { account, secondary, base } = outer;
  return { account, secondary, base, wirePath, wireQuery, resource: parseResource(belowAccount(wirePath, account)) };
}

/** Without the account, or its secondary, whichever of the two the batch was sent to. */
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

const entitiesPath = /^\/([A-Za-z$][A-Za-z0-9$]*)(?:\(\s*\))?\/?$/;
const entityPath = /^\/([A-Za-z$][A-Za-z0-9$]*)\((.*)\)$/s;
const navigationPath = /^\/([A-Za-z$][A-Za-z0-9$]*)\/[^(]+(\(.*\))?$/s;
const tablePath = /^\/Tables\(\s*'((?:[^']|'')*)'\s*\)$/;
const keyPair =
  /^\s*(PartitionKey|RowKey)\s*=\s*'((?:[^']|'')*)'\s*,\s*(PartitionKey|RowKey)\s*=\s*'((?:[^']|'')*)'\s*$/;

/** Names what a path below the account stands for. A quote may be `'` or `%27`, so the path is decoded as a whole, once. */
export function parseResource(wirePath: string): Resource {
  const path = wirePath.includes('%') ? decodePath(wirePath) : wirePath;
  if (path === undefined) return { kind: 'unreadable' };
  if (path === '' || path === '/') return { kind: 'service' };
  if (path === '/$batch') return { kind: 'batch' };

  const set = entitiesPath.exec(path)?.[1];
  if (set !== undefined) return set === 'Tables' ? { kind: 'tables' } : { kind: 'entities', table: set };

  const table = tablePath.exec(path)?.[1];
  if (table !== undefined) return { kind: 'table', table: unquote(table) };

  const below = navigationPath.exec(path);
  if (below) return { kind: 'navigation', table: below[1] ?? '', hasKey: below[2] !== undefined };

  const entity = entityPath.exec(path);
  if (!entity) return { kind: 'unroutable' };
  const [, name = '', keyText = ''] = entity;
  const key = parseKey(keyText);
  return key ? { kind: 'entity', table: name, key } : { kind: 'unreadable' };
}

function decodePath(wirePath: string): string | undefined {
  try {
    return decodeURIComponent(wirePath);
  } catch {
    return undefined;
  }
}

/** Reads `PartitionKey='…',RowKey='…'` in either order. Evidence: recorded; the other order is assumed. */
function parseKey(text: string): EntityKey | undefined {
  const match = keyPair.exec(text);
  if (!match || match[1] === match[3]) return undefined;
  const first = unquote(match[2] ?? '');
  const second = unquote(match[4] ?? '');
  return match[1] === 'PartitionKey'
    ? { partitionKey: first, rowKey: second }
    : { partitionKey: second, rowKey: first };
}

function unquote(text: string): string {
  return text.includes("''") ? text.replaceAll("''", "'") : text;
}

/** The last part of an entity's address, as `Location`, `odata.id` and `odata.editLink` give it. Evidence: recorded. */
export function entityPathOf(table: string, { partitionKey, rowKey }: EntityKey): string {
  return `${table}(PartitionKey='${encodeKey(partitionKey)}',RowKey='${encodeKey(rowKey)}')`;
}

function encodeKey(text: string): string {
  return encodeURIComponent(text.includes("'") ? text.replaceAll("'", "''") : text);
}
