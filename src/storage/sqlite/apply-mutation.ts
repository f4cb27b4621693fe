import type { EntityKey } from '../../model/entity.ts';
import { entityBytes } from '../../model/entity-limits.ts';
import type { IfMatch } from '../../model/etag.ts';
import { entityBytesMax, propertiesMax } from '../../model/limits.ts';
import type { Mutation } from '../../model/mutation.ts';
import { decodeProperties, encodeProperties, mergeProperties, type Properties } from '../../model/properties.ts';
import { formatTicks, type Ticks } from '../../model/ticks.ts';
import type { AppliedEntity, MutationRefusal } from '../store.ts';
import { encodeKeyPart } from './key-order.ts';
import type { Statements } from './statements.ts';

interface Current {
  readonly id: bigint;
  readonly ticks: Ticks;
  readonly properties: string;
}

type StoredKey = readonly [tableId: number, partitionKey: string, rowKey: string];

/** Carries out one mutation inside a transaction, or refuses it without having changed anything. */
export function applyMutation(
  statements: Statements,
  tableId: number,
  mutation: Mutation,
  ticks: Ticks,
): AppliedEntity | MutationRefusal {
  const key: StoredKey = [tableId, encodeKeyPart(mutation.partitionKey), encodeKeyPart(mutation.rowKey)];
  switch (mutation.kind) {
    case 'insert':
      return insert(statements, key, ticks, encodeProperties(mutation.properties));
    case 'insertOrReplace': {
      const properties = encodeProperties(mutation.properties);
      statements.upsertEntity.run(...key, ticks, properties);
      return applied(ticks, properties);
    }
    case 'replace':
      return replace(statements, key, ticks, mutation);
    case 'merge':
      return merge(statements, key, ticks, mutation);
    case 'insertOrMerge':
      return findCurrent(statements, key)
        ? merge(statements, key, ticks, { ...mutation, ifMatch: { kind: 'any' } })
        : insert(statements, key, ticks, encodeProperties(mutation.properties));
    case 'delete':
      return remove(statements, key, ticks, mutation.ifMatch);
  }
}

function applied(ticks: Ticks, properties: string): AppliedEntity {
  return { timestamp: formatTicks(ticks), properties };
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

function insert(statements: Statements, key: StoredKey, ticks: Ticks, properties: string): AppliedEntity | 'exists' {
  const { changes } = statements.insertEntity.run(...key, ticks, properties);
  return changes === 0 ? 'exists' : applied(ticks, properties);
}

function replace(
  statements: Statements,
  key: StoredKey,
  ticks: Ticks,
  { properties, ifMatch }: { properties: Properties; ifMatch: IfMatch },
): AppliedEntity | MutationRefusal {
  const text = encodeProperties(properties);
  if (ifMatch.kind === 'any') {
    const { changes } = statements.replaceEntity.run(ticks, text, ...key);
    return changes === 0 ? 'missing' : applied(ticks, text);
  }
  const current = findMatching(statements, key, ifMatch);
  if (typeof current === 'string') return current;
  statements.updateEntity.run(ticks, text, current.id);
  return applied(ticks, text);
}

function merge(
  statements: Statements,
  key: StoredKey,
  ticks: Ticks,
  mutation: EntityKey & { properties: Properties; ifMatch: IfMatch },
): AppliedEntity | MutationRefusal {
  const current = findMatching(statements, key, mutation.ifMatch);
  if (typeof current === 'string') return current;
  const merged = mergeProperties(decodeProperties(current.properties), mutation.properties);
  if (merged.size > propertiesMax) return 'tooManyProperties';
  if (entityBytes(mutation, merged) > entityBytesMax) return 'tooLarge';
  const text = encodeProperties(merged);
  statements.updateEntity.run(ticks, text, current.id);
  return applied(ticks, text);
}

function remove(
  statements: Statements,
  key: StoredKey,
  ticks: Ticks,
  ifMatch: IfMatch,
): AppliedEntity | MutationRefusal {
  if (ifMatch.kind === 'any') {
    return statements.deleteEntityByKey.run(...key).changes === 0 ? 'missing' : applied(ticks, '');
  }
  const current = findMatching(statements, key, ifMatch);
  if (typeof current === 'string') return current;
  statements.deleteEntity.run(current.id);
  return applied(ticks, '');
}
