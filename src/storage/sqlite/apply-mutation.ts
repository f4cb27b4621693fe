import type { EntityKey } from '../../model/entity.ts';
import { entityBytes } from '../../model/entity-limits.ts';
import type { IfMatch } from '../../model/etag.ts';
import { entityBytesMax, propertiesMax } from '../../model/limits.ts';
import type { Mutation } from '../../model/mutation.ts';
import { decodeProperties, encodeProperties, mergeProperties, type Properties } from '../../model/properties.ts';
import type { Ticks } from '../../model/ticks.ts';
import type { AppliedEntity, MutationRefusal } from '../store.ts';
import { encodeKeyPart } from './key-order.ts';
import type { Statements } from './statements.ts';

interface Current {
  readonly id: bigint;
  readonly ticks: Ticks;
  readonly properties: string;
}

/** When a write happens, and how that is written. */
export interface Moment {
  readonly ticks: Ticks;
  readonly timestamp: string;
}

type StoredKey = readonly [tableId: number, partitionKey: string, rowKey: string];

/** Carries out one mutation inside a transaction, or refuses it without having changed anything. */
export function applyMutation(
  statements: Statements,
  tableId: number,
  mutation: Mutation,
  now: Moment,
): AppliedEntity | MutationRefusal {
  const key: StoredKey = [tableId, encodeKeyPart(mutation.partitionKey), encodeKeyPart(mutation.rowKey)];
  switch (mutation.kind) {
    case 'insert':
      return insert(statements, key, now, encodeProperties(mutation.properties));
    case 'insertOrReplace': {
      const properties = encodeProperties(mutation.properties);
      statements.upsertEntity.run(...key, now.ticks, properties);
      return applied(now, properties);
    }
    case 'replace':
      return replace(statements, key, now, mutation);
    case 'merge':
      return merge(statements, key, now, mutation);
    case 'insertOrMerge':
      return findCurrent(statements, key)
        ? merge(statements, key, now, { ...mutation, ifMatch: { kind: 'any' } })
        : insert(statements, key, now, encodeProperties(mutation.properties));
    case 'delete':
      return remove(statements, key, now, mutation.ifMatch);
  }
}

function applied({ timestamp }: Moment, properties: string): AppliedEntity {
  return { timestamp, properties };
}

function findCurrent(statements: Statements, key: StoredKey): Current | undefined {
  return statements.getForUpdate.get(...key) as Current | undefined;
}

/** The entity a condition speaks of; a missing entity is missing whatever the condition. Evidence: recorded. */
function findMatching(statements: Statements, key: StoredKey, ifMatch: IfMatch): Current | 'missing' | 'stale' {
  const current = findCurrent(statements, key);
  if (!current) return 'missing';
  return ifMatch.kind === 'unchanged' && ifMatch.since !== current.ticks ? 'stale' : current;
}

function insert(statements: Statements, key: StoredKey, now: Moment, properties: string): AppliedEntity | 'exists' {
  const { changes } = statements.insertEntity.run(...key, now.ticks, properties);
  return changes === 0 ? 'exists' : applied(now, properties);
}

function replace(
  statements: Statements,
  key: StoredKey,
  now: Moment,
  { properties, ifMatch }: { properties: Properties; ifMatch: IfMatch },
): AppliedEntity | MutationRefusal {
  const text = encodeProperties(properties);
  if (ifMatch.kind === 'any') {
    const { changes } = statements.replaceEntity.run(now.ticks, text, ...key);
    return changes === 0 ? 'missing' : applied(now, text);
  }
  const current = findMatching(statements, key, ifMatch);
  if (typeof current === 'string') return current;
  statements.updateEntity.run(now.ticks, text, current.id);
  return applied(now, text);
}

function merge(
  statements: Statements,
  key: StoredKey,
  now: Moment,
  mutation: EntityKey & { properties: Properties; ifMatch: IfMatch },
): AppliedEntity | MutationRefusal {
  const current = findMatching(statements, key, mutation.ifMatch);
  if (typeof current === 'string') return current;
  const merged = mergeProperties(decodeProperties(current.properties), mutation.properties);
  if (merged.size > propertiesMax) return 'tooManyProperties';
  if (entityBytes(mutation, merged) > entityBytesMax) return 'tooLarge';
  const text = encodeProperties(merged);
  statements.updateEntity.run(now.ticks, text, current.id);
  return applied(now, text);
}

function remove(
  statements: Statements,
  key: StoredKey,
  now: Moment,
  ifMatch: IfMatch,
): AppliedEntity | MutationRefusal {
  if (ifMatch.kind === 'any') {
    return statements.deleteEntityByKey.run(...key).changes === 0 ? 'missing' : applied(now, '');
  }
  const current = findMatching(statements, key, ifMatch);
  if (typeof current === 'string') return current;
  statements.deleteEntity.run(current.id);
  return applied(now, '');
}
