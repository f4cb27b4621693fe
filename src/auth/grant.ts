import type { KeyRange } from '../model/key-range.ts';
import type { Access, TableAction } from './access.ts';

/** What an authenticated caller may do. */
export type Grant = KeyGrant | TableSasGrant | AccountSasGrant | BearerGrant;

/** Everything: the caller has an account key. */
export interface KeyGrant {
  readonly kind: 'key';
}

export interface TableSasGrant {
  readonly kind: 'tableSas';
  /** Letters of `raud`. */
  readonly permissions: string;
  /** The only table, in the case of the signature. */
  readonly table: string;
  /** The entities within it; undefined for all. */
  readonly range: KeyRange | undefined;
  /** Older than 2015-04-05: a request that it does not allow gets ResourceNotFound. */
  readonly isLegacy: boolean;
}

export interface AccountSasGrant {
  readonly kind: 'accountSas';
  readonly permissions: string;
  /** Letters of `sco`: the service, its tables, their entities. */
  readonly resourceTypes: string;
}

/** What the roles of the token's owner allow on one account. */
export interface BearerGrant {
  readonly kind: 'bearer';
  /** The token's owner, for the log: its object id, else the id of the application. */
  readonly principal: string;
  /** Whether a role allows the action on a table; without a table, on the account. Called for each operation: roles change. */
  may(action: TableAction, table: string | undefined): boolean;
  /** Says which roles there are, and which one would do. */
  explain(actions: Access['actions'], table: string | undefined): readonly string[];
}

export const keyGrant: KeyGrant = Object.freeze({ kind: 'key' });
