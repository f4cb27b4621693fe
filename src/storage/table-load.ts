// The part of the contract of store.ts that loads whole tables: promise 15.

import type { EntityKey } from '../model/entity.ts';
import type { PropertiesText } from '../model/properties.ts';
import type { TableName } from '../model/table-name.ts';
import type { Ticks } from '../model/ticks.ts';

/**
 * Complete tables that are being loaded into an account. Only one call may be in progress at a time. After a method has
 * rejected, only `abandon` may be called.
 */
export interface TableLoad {
  /** Adds an empty table with its access policies. */
  addTable(params: AddTableParams): Promise<AddTableOutcome>;
  /** Adds entities to a table of the load. */
  addEntities(table: string, entities: readonly LoadedEntity[]): Promise<AddEntitiesOutcome>;
  /** Puts the tables in place. */
  finish(params?: FinishLoadParams): Promise<FinishLoadOutcome>;
  /** Discards the load. After `finish` it does nothing. */
  abandon(): Promise<void>;
}

export interface AddTableParams {
  readonly name: TableName;
  readonly acl?: string | undefined;
}

export interface FinishLoadParams {
  /** Whether `finish` also deletes the account's other tables and its service properties, as `clear` does. */
  readonly replacesAccount?: boolean;
}

export type AddTableOutcome =
  | { readonly kind: 'added' }
  /** The load already has a table of that name, in the same or different letter case. */
  | { readonly kind: 'duplicate' };

export type AddEntitiesOutcome =
  | { readonly kind: 'added' }
  /**
   * The load already has an entity with the key of the entity at this 0-based index. The entities before it are added.
   */
  | { readonly kind: 'duplicate'; readonly at: number };

export type FinishLoadOutcome =
  | { readonly kind: 'finished' }
  /** The name of this table cannot be used yet. Nothing has changed, and `finish` can be called again. */
  | { readonly kind: 'tableBeingDeleted'; readonly table: string };

export interface LoadedEntity extends EntityKey {
  readonly properties: PropertiesText;
  /** The time of its last write, if the entity is to keep it. Otherwise the entity gets the time of the load. */
  readonly ticks?: Ticks;
}
