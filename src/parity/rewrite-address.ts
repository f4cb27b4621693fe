// Rewrites the address of a recorded request for another endpoint. It replaces the root, the names of tables, and the
// values that each server makes itself.

import { isTableName } from '../model/table-name.ts';
import { type Address, parseAddress, parseInnerAddress } from '../protocol/address.ts';
import type { LearnedValues } from './learned-values.ts';
import type { TableNames } from './table-names.ts';

export interface Rewriting {
  readonly names: TableNames;
  readonly learned: LearnedValues;
  /** The root of the endpoint's addresses, without a slash at its end: `/devstoreaccount1`, or empty. */
  readonly root: string;
  /** Scheme and host of the endpoint. */
  readonly origin: string;
}

/** The address that a request was sent to. If it names no account, throws the service's refusal. */
export function addressIn(url: string): Address {
  const [, scheme = '', host = '', target = ''] = /^(https?):\/\/([^/?#]*)(.*)$/is.exec(url) ?? [];
  const options = { scheme: scheme.toLowerCase() === 'https' ? 'https' : 'http', isHostStyleKnown: true } as const;
  return parseAddress(target.startsWith('/') ? target : `/${target}`, host, options);
}

/** The part of a path below the account. */
export function pathBelow({ wirePath, base }: Pick<Address, 'wirePath' | 'base'>): string {
  const root = /^https?:\/\/[^/]*(.*)$/is.exec(base)?.[1] ?? '';
  return wirePath.slice(root.length);
}

const firstSegment = /^\/((?:[^/(%]|%(?!28))*)/;
const quotedName = /^(.*?(?:'|%27))(.*)((?:'|%27).*)$/is;

/** A path below the account, with the name that its table has at the endpoint. */
export function renamedPath(
  path: string,
  { account, resource }: Pick<Address, 'account' | 'resource'>,
  names: TableNames,
): string {
  const raw = firstSegment.exec(path)?.[1] ?? '';
  const name = decode(raw);
  if (name === 'Tables') {
    if (resource.kind !== 'table') return path;
    const there = names.there(account, resource.table.name);
    return path.replace(quotedName, (_, start: string, __: string, end: string) => start + there + end);
  }
  if (!isTableName(name)) return path;
  return `/${names.there(account, name)}${path.slice(1 + raw.length)}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The names and values of a query, as they are written. */
export type QueryPairs = readonly (readonly [name: string, value: string | undefined])[];

export function pairsIn(url: string): QueryPairs {
  const question = url.indexOf('?');
  if (question === -1) return [];
  return url
    .slice(question + 1)
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=');
      return equals === -1 ? [pair, undefined] : [pair.slice(0, equals), pair.slice(equals + 1)];
    });
}

export const queryText = (pairs: QueryPairs): string =>
  pairs.length === 0
    ? ''
    : `?${pairs.map(([name, value]) => (value === undefined ? name : `${name}=${value}`)).join('&')}`;

export const decodedName = (name: string): string => decode(name).toLowerCase();

/** The pairs with continuations, timestamps and names of tables as they are at the other server. */
export function renamedPairs(pairs: QueryPairs, { account, resource }: Address, rewriting: Rewriting): QueryPairs {
  const { names, learned } = rewriting;
  return pairs.map(([name, value]) => {
    if (value === undefined) return [name, value];
    const option = decodedName(name);
    const plain = decode(value.replaceAll('+', ' '));
    const there = option.startsWith('next') ? learned.there(plain) : undefined;
    if (there !== undefined) return [name, encodeURIComponent(there)];
    if (option !== '$filter') return [name, value];
    const renamed = resource.kind === 'tables' ? renamedFilter(plain, { account, names }) : datedFilter(plain, learned);
    return [name, renamed === plain ? value : encodeURIComponent(renamed)];
  });
}

function renamedFilter(
  filter: string,
  { account, names }: { readonly account: string; readonly names: TableNames },
): string {
  return filter.replace(/'([A-Za-z0-9]*)'/g, (_, name: string) =>
    isTableName(name) ? `'${names.there(account, name)}'` : `'${names.prefix}${name}'`,
  );
}

const datedFilter = (filter: string, learned: LearnedValues): string =>
  filter.replace(/datetime'([^']*)'/gi, (literal, date: string) => {
    const there = learned.there(date);
    return there === undefined ? literal : `datetime'${there}'`;
  });

/** The target of a request inside a batch, in the form in which it was written. */
export function renamedInnerTarget(target: string, outer: Address, rewriting: Rewriting): string {
  const address = parseInnerAddress(target, outer);
  const [, authority = '', rest = target] = /^([a-z][a-z0-9+.-]*:\/\/[^/?]*)(.*)$/is.exec(target) ?? [];
  const [path = ''] = rest.split('?', 1);
  const { account } = outer;
  const [, segment = ''] = /^(\/[^/?]*)(?:\/|$)/.exec(path) ?? [];
  const isRooted = segment === `/${account}` || segment === `/${account}-secondary`;
  const below = isRooted ? path.slice(segment.length) : path;
  const rooted = below.startsWith('/') ? below : `/${below}`;
  const renamed = renamedPath(rooted, address, rewriting.names).slice(below.startsWith('/') ? 0 : 1);
  const query = queryText(renamedPairs(pairsIn(rest), address, rewriting));
  // An address in host style has no account in its path, but the other endpoint may need one.
  const root = isRooted || authority !== '' ? rewriting.root : '';
  return `${authority === '' ? '' : rewriting.origin}${root}${renamed}${query}`;
}
