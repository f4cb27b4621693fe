import type { KeyRange } from '../model/key-range.ts';

/** What an authenticated caller may do. */
export type Grant = KeyGrant | TableSasGrant | AccountSasGrant;

/** Everything: the caller has an account key. */
export interface KeyGrant {
  readonly kind: 'key';
}

export interface TableSasGrant {
  readonly kind: 'tableSas';
  /** Letters of `raud`. */
  readonly permissions: string;
  /** The one table, in the case of the signature. */
  readonly table: string;
  /** The entities within it; undefined for all. */
  readonly range: KeyRange | undefined;
  /** Older than 2015-04-05: what it does not allow is answered as not found. */
  readonly isLegacy: boolean;
}

export interface AccountSasGrant {
  readonly kind: 'accountSas';
  readonly permissions: string;
  /** Letters of `sco`: the service, its tables, their entities. */
  readonly resourceTypes: string;
}

export const keyGrant: KeyGrant = Object.freeze({ kind: 'key' });
