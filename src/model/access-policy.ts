import { DamagedText, parseStored, storedList, storedMembers, storedText } from './stored-json.ts';
import { formatTicksFull, parseDateTime } from './ticks.ts';

/**
 * The constraints of a stored access policy. If the policy omits a field, a token that refers to the policy supplies
 * that field. Times are texts in UTC with seven fraction digits. These texts are stored and returned unchanged. Sorted
 * as texts, they are in the order of the times.
 */
export interface AccessPolicy {
  readonly start?: string;
  readonly expiry?: string;
  /** Letters of `raud`, as they were sent; never empty. */
  readonly permission?: string;
}

/** A stored access policy of a table with the name by which tokens refer to it. */
export interface SignedIdentifier extends AccessPolicy {
  readonly id: string;
}

/** The most policies of one table. Evidence: documented (Set Table ACL). */
export const signedIdentifiersMax = 5;
/** The longest identifier, in UTF-16 units. Evidence: documented (Define a stored access policy). */
export const identifierCharsMax = 64;

/**
 * Whether a text is a permission for a table. A permission consists of one or more of the letters `r` (query), `a`
 * (add), `u` (update) and `d` (delete), each at most once. Evidence: documented (Create a service SAS); assumed (each
 * at most once).
 */
export function isTablePermission(text: string): boolean {
  return /^[raud]+$/.test(text) && new Set(text).size === text.length;
}

export function findIdentifier(list: readonly SignedIdentifier[], id: string): SignedIdentifier | undefined {
  return list.find((identifier) => identifier.id === id);
}

export function encodeSignedIdentifiers(list: readonly SignedIdentifier[]): string {
  return JSON.stringify(list.map(({ id, start, expiry, permission }) => ({ id, start, expiry, permission })));
}

/** Decodes the output of encodeSignedIdentifiers. Throws DamagedText for anything else. */
export function decodeSignedIdentifiers(text: string): SignedIdentifier[] {
  return parseStored(text, (value) => storedList(value, storedIdentifier));
}

function storedIdentifier(value: unknown): SignedIdentifier {
  const { id, start, expiry, permission } = storedMembers(value);
  return {
    id: storedText(id),
    ...(start === undefined ? {} : { start: storedMoment(start) }),
    ...(expiry === undefined ? {} : { expiry: storedMoment(expiry) }),
    ...(permission === undefined ? {} : { permission: storedPermission(permission) }),
  };
}

function storedMoment(value: unknown): string {
  const moment = storedText(value);
  const ticks = parseDateTime(moment);
  if (ticks === undefined || formatTicksFull(ticks) !== moment) throw new DamagedText('not a moment');
  return moment;
}

function storedPermission(value: unknown): string {
  const permission = storedText(value);
  if (!isTablePermission(permission)) throw new DamagedText('not a permission');
  return permission;
}
