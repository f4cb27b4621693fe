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
  /** The only table, in upper and lower case as the signature has it. */
  readonly table: string;
  /** The range of entities in this table; undefined for all entities. */
  readonly range: KeyRange | undefined;
  /** Whether the signature is older than 2015-04-05: a request that it does not allow then gets ResourceNotFound. */
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
  /** The token's owner, for the log: the object id or, without one, the application id. */
  readonly principal: string;
  /**
   * Whether a role allows the action on the table, or on the account if `table` is undefined. This method is called for
   * each operation, because roles can change.
   */
  may(action: TableAction, table: string | undefined): boolean;
  /** Says which roles the owner has, and which role would suffice. */
  explain(actions: Access['actions'], table: string | undefined): readonly string[];
}

export const keyGrant: KeyGrant = Object.freeze({ kind: 'key' });
