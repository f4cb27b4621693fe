// The operations that write one entity, described as data. Each write runs alone (`writeEntity`) or in an entity group
// transaction. The service stores an inserted entity as it was sent. For every other write, it sorts the properties
// (`sortProperties`).
//
// This code runs for every request, so it lists members one by one. In V8, objects that combine a spread with other
// members are slow to create and to read (docs/adr/0008).

import type { Entity, EntityKey } from '../model/entity.ts';
import type { IfMatch } from '../model/etag.ts';
import type { Mutation } from '../model/mutation.ts';
import { sortProperties } from '../model/properties.ts';

export interface EntityWrite {
  readonly table: string;
  readonly mutation: Mutation;
}

export interface EntityInsert {
  readonly table: string;
  readonly entity: Entity;
}

export interface EntityUpdate extends EntityInsert {
  readonly ifMatch: IfMatch;
}

export interface EntityDelete {
  readonly table: string;
  readonly key: EntityKey;
  readonly ifMatch: IfMatch;
}

/** Adds an entity that does not exist. Refusals: TableNotFound, EntityAlreadyExists, the limits of an entity. */
export function insertEntity({ table, entity: { partitionKey, rowKey, properties } }: EntityInsert): EntityWrite {
  return { table, mutation: { kind: 'insert', partitionKey, rowKey, properties } };
}

/**
 * Replaces an entity that exists. Refusals: TableNotFound, ResourceNotFound, UpdateConditionNotSatisfied, the limits of
 * an entity.
 */
export function updateEntity({ table, entity, ifMatch }: EntityUpdate): EntityWrite {
  const { partitionKey, rowKey } = entity;
  const properties = sortProperties(entity.properties);
  return { table, mutation: { kind: 'replace', partitionKey, rowKey, properties, ifMatch } };
}

/**
 * Sets properties of an entity that exists. The refusals are the same as for updateEntity, but the limits apply to the
 * merged entity.
 */
export function mergeEntity({ table, entity, ifMatch }: EntityUpdate): EntityWrite {
  const { partitionKey, rowKey } = entity;
  const properties = sortProperties(entity.properties);
  return { table, mutation: { kind: 'merge', partitionKey, rowKey, properties, ifMatch } };
}

/** Adds an entity, or replaces the existing one. Refusals: TableNotFound, limits. */
export function insertOrReplaceEntity({ table, entity }: EntityInsert): EntityWrite {
  const { partitionKey, rowKey } = entity;
  const properties = sortProperties(entity.properties);
  return { table, mutation: { kind: 'insertOrReplace', partitionKey, rowKey, properties } };
}

/** Adds an entity, or sets properties of the existing one. Refusals: TableNotFound, limits. */
export function insertOrMergeEntity({ table, entity }: EntityInsert): EntityWrite {
  const { partitionKey, rowKey } = entity;
  const properties = sortProperties(entity.properties);
  return { table, mutation: { kind: 'insertOrMerge', partitionKey, rowKey, properties } };
}

/** Removes an entity. Refusals: TableNotFound, ResourceNotFound, UpdateConditionNotSatisfied. */
export function deleteEntity({ table, key: { partitionKey, rowKey }, ifMatch }: EntityDelete): EntityWrite {
  return { table, mutation: { kind: 'delete', partitionKey, rowKey, ifMatch } };
}
