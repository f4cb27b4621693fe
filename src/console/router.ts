// The address holds the state of a page: `#/tables/devstoreaccount1/pets?filter=…`. A link to this address, or a
// reload, shows the page in the same state.

import { signal } from '@preact/signals';

export interface Route {
  /** First segment, such as `tables`; empty for the bare address. */
  readonly page: string;
  /** The further segments, decoded. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

export interface PageProps {
  /** The page, path and query that the address names. */
  readonly route: Route;
}

export type RouteQuery = Readonly<Record<string, string | number | undefined>>;

/** The current route. It follows the address. */
export const route = signal<Route>(parse(window.location.hash));

let shownHash = window.location.hash;

function follow(): void {
  if (window.location.hash === shownHash) return;
  shownHash = window.location.hash;
  route.value = parse(shownHash);
}

window.addEventListener('hashchange', follow);

/**
 * Returns the address of a page, as in `hrefOf(['tables', account, table], { filter })`. Leaves out members of `query`
 * that are undefined or empty.
 */
export function hrefOf(path: readonly string[], query: RouteQuery = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  const text = new URLSearchParams(given).toString();
  return `#/${path.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
}

/**
 * Goes to a page, as a link does. The page changes immediately and does not wait for the browser's event, because the
 * user may press further keys before this event.
 */
export function navigate(path: readonly string[], query?: RouteQuery): void {
  window.location.hash = hrefOf(path, query);
  follow();
}

/**
 * Puts state into the address without a new entry in the browser's history. An example is the text of a search while
 * the user types it.
 */
export function replaceQuery(query: RouteQuery): void {
  const { page, path } = route.peek();
  window.history.replaceState(null, '', hrefOf([page, ...path], query));
  follow();
}

function parse(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s, 2);
  const [page = '', ...rest] = path.split('/').map(decode);
  return { page, path: rest.filter((segment) => segment !== ''), query: new URLSearchParams(query) };
}

/** An address that was typed may hold anything. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
