// What a mutation means, apart from any engine: conditions, merging, limits. An engine finds out what is there, asks, and
// writes what it is told to. Where the answer does not depend on what the entity holds, `planMutation` spares reading it.

import { isStoredEntityTooLarge } from '../model/entity-limits.ts';
import type { IfMatch } from '../model/etag.ts';
import { propertiesMax } from '../model/limits.ts';
import type { Mutation } from '../model/mutation.ts';
import { encodeProperties, joinProperties, mergeIntoText, type PropertiesText } from '../model/properties.ts';
import type { MutationRefusal } from './store.ts';

/** An entity as it is before a mutation. */
export interface CurrentEntity {
  readonly timestamp: string;
  readonly properties: PropertiesText;
}

export type Decision =
  | { readonly kind: 'write'; readonly properties: PropertiesText }
  | { readonly kind: 'delete' }
  | { readonly kind: MutationRefusal };

/** Decides on a mutation of an entity, or of none where there is none. */
export function decideMutation(current: CurrentEntity | undefined, mutation: Mutation): Decision {
  switch (mutation.kind) {
    case 'insert':
      return current ? { kind: 'exists' } : written(mutation);
    case 'insertOrReplace':
      return written(mutation);
    case 'insertOrMerge':
      return current ? merged(current, mutation) : written(mutation);
    case 'replace':
      return refusalOf(mutation.ifMatch, current) ?? written(mutation);
    case 'merge':
      // Evidence: recorded: a missing entity is missing whatever the condition.
      if (!current) return { kind: 'missing' };
      return refusalOf(mutation.ifMatch, current) ?? merged(current, mutation);
    case 'delete':
      return refusalOf(mutation.ifMatch, current) ?? { kind: 'delete' };
  }
}

/**
 * What one statement can carry out without reading the entity first.
 * `insert`: refused as `exists` where there is an entity. `upsert`: always happens. `update`, `delete`: refused as `missing`
 * where there is none.
 */
export type MutationPlan =
  | { readonly kind: 'insert' | 'upsert' | 'update'; readonly properties: PropertiesText }
  | { readonly kind: 'delete' };

/** Undefined where the decision depends on what the entity holds. Otherwise the same as decideMutation comes to. */
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

function refusalOf(ifMatch: IfMatch, current: CurrentEntity | undefined): Decision | undefined {
  if (!current) return { kind: 'missing' };
  return ifMatch.kind === 'unchanged' && ifMatch.since !== current.timestamp ? { kind: 'stale' } : undefined;
}

/** The limits of an entity hold for what comes out of a merge; what is sent has been checked before. */
function merged(current: CurrentEntity, mutation: Writing): Decision {
  const properties = mergeIntoText(current.properties, mutation.properties);
  if (properties.length > propertiesMax) return { kind: 'tooManyProperties' };
  if (isStoredEntityTooLarge(mutation, properties)) return { kind: 'tooLarge' };
  return { kind: 'write', properties: joinProperties(properties) };
}
