import type { KeyRange } from '../model/key-range.ts';

/** What a caller who is known may do. */
export type Grant = KeyGrant | TableSasGrant | AccountSasGrant;

/** Everything: the caller holds a key of the account. */
export interface KeyGrant {
  readonly kind: 'key';
}

export interface TableSasGrant {
  readonly kind: 'tableSas';
  /** Letters of `raud`. */
  readonly permissions: string;
  /** The one table, in the signature's case. */
  readonly table: string;
  /** The entities within it; undefined for all. */
  readonly range: KeyRange | undefined;
  /** Made under rules older than 2015-04-05, which tell what is not allowed as what does not exist. */
  readonly isLegacy: boolean;
}

export interface AccountSasGrant {
  readonly kind: 'accountSas';
  readonly permissions: string;
  /** Letters of `sco`: the service, its tables, their entities. */
  readonly resourceTypes: string;
}

export const keyGrant: KeyGrant = Object.freeze({ kind: 'key' });
