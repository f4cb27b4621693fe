// Decides the result of a mutation (conditions, merging, limits), independently of the engine. An engine reads the
// entity, calls `decideMutation` and writes the result. `planMutation` finds the mutations for which an engine does not
// have to read the entity.

import type { EntityRecord } from '../model/entity.ts';
import type { IfMatch } from '../model/etag.ts';
import { propertiesMax } from '../model/limits.ts';
import type { Mutation } from '../model/mutation.ts';
import { encodeProperties, joinProperties, mergeIntoText, type PropertiesText } from '../model/properties.ts';
import { isStoredEntityTooLarge } from '../model/stored-entity-size.ts';
import type { RefusedMutation } from './store.ts';

/** An entity before a mutation. */
export type CurrentEntity = Pick<EntityRecord, 'timestamp' | 'properties'>;

export type Decision =
  | { readonly kind: 'write'; readonly properties: PropertiesText }
  | { readonly kind: 'delete' }
  | RefusedMutation;

/** Decides on a mutation of an entity; `current` is undefined if the entity does not exist. */
export function decideMutation(current: CurrentEntity | undefined, mutation: Mutation): Decision {
  switch (mutation.kind) {
    case 'insert':
      return current ? { kind: 'exists' } : written(mutation);
    case 'insertOrReplace':
      return written(mutation);
    case 'insertOrMerge':
      return current ? merged(current, mutation) : written(mutation);
    case 'replace':
      return conditionRefusal(mutation.ifMatch, current) ?? written(mutation);
    case 'merge':
      // Evidence: recorded: the condition of a merge does not matter if the entity is missing.
      if (!current) return { kind: 'missing' };
      return conditionRefusal(mutation.ifMatch, current) ?? merged(current, mutation);
    case 'delete':
      return conditionRefusal(mutation.ifMatch, current) ?? { kind: 'delete' };
  }
}

/**
 * A mutation that one statement can apply without reading the entity first. If the entity exists, the engine refuses an
 * `insert` and answers `exists`. If the entity does not exist, the engine refuses an `update` or a `delete` and answers
 * `missing`. An `upsert` always succeeds.
 */
export type MutationPlan =
  | { readonly kind: 'insert' | 'upsert' | 'update'; readonly properties: PropertiesText }
  | { readonly kind: 'delete' };

/**
 * Returns undefined if the decision depends on the stored entity. Otherwise returns a plan with the same outcome as
 * `decideMutation`.
 */
export function planMutation(mutation: Mutation): MutationPlan | undefined {
  switch (mutation.kind) {
    case 'insert':
      return { kind: 'insert', properties: encodeProperties(mutation.properties) };
    case 'insertOrReplace':
      return { kind: 'upsert', properties: encodeProperties(mutation.properties) };
    case 'replace':
      if (mutation.ifMatch.kind !== 'any') return undefined;
      return { kind: 'update', properties: encodeProperties(mutation.properties) };
    case 'delete':
      return mutation.ifMatch.kind === 'any' ? { kind: 'delete' } : undefined;
    default:
      return undefined;
  }
}

type Writing = Exclude<Mutation, { readonly kind: 'delete' }>;

const written = ({ properties }: Writing): Decision => ({ kind: 'write', properties: encodeProperties(properties) });

function conditionRefusal(ifMatch: IfMatch, current: CurrentEntity | undefined): Decision | undefined {
  if (!current) return { kind: 'missing' };
  return ifMatch.kind === 'unchanged' && ifMatch.since !== current.timestamp
    ? { kind: 'stale', current: current.timestamp }
    : undefined;
}

/** Checks the limits of the merged entity; the caller has checked the properties that were sent. */
function merged(current: CurrentEntity, mutation: Writing): Decision {
  const properties = mergeIntoText(current.properties, mutation.properties);
  if (properties.length > propertiesMax) return { kind: 'tooManyProperties' };
  if (isStoredEntityTooLarge(mutation, properties)) return { kind: 'tooLarge' };
  return { kind: 'write', properties: joinProperties(properties) };
}
