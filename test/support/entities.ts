// Short forms for tests of storage.

import type { EdmValue } from '../../src/model/edm.ts';
import type { EntityKey, EntityRecord } from '../../src/model/entity.ts';
import type { IfMatch } from '../../src/model/etag.ts';
import type { Mutation } from '../../src/model/mutation.ts';
import { decodeProperties, type Properties } from '../../src/model/properties.ts';
import { parseTableName, type TableName } from '../../src/model/table-name.ts';
import { parseDateTime, type Ticks } from '../../src/model/ticks.ts';
import type { AccountStore, AppliedEntity, ApplyOutcome } from '../../src/storage/store.ts';

export const tableNamed = (name: string): TableName => parseTableName(name);

export const keyOf = (partitionKey: string, rowKey: string): EntityKey => ({ partitionKey, rowKey });

export const textValue = (value: string): EdmValue => ({ type: 'Edm.String', value });

/** Properties of type Edm.String, one for each member. */
export function texts(values: Readonly<Record<string, string>>): Properties {
  return new Map(Object.entries(values).map(([name, value]) => [name, textValue(value)]));
}

export const anyState: IfMatch = { kind: 'any' };

export function unchangedSince(timestamp: string): IfMatch {
  return { kind: 'unchanged', since: timestamp };
}

/** The ticks of a Timestamp. Its text cannot be compared, because its trailing zeros are removed. */
export function ticksOf(timestamp: string): Ticks {
  const ticks = parseDateTime(timestamp);
  if (ticks === undefined) throw new Error(`${timestamp} is not a timestamp`);
  return ticks;
}

export function insertion(key: EntityKey, properties: Properties = texts({ Value: 'inserted' })): Mutation {
  return { kind: 'insert', ...key, properties };
}

/** The entities of an outcome. The mutations must have been applied. */
export function entitiesOf(outcome: ApplyOutcome): readonly AppliedEntity[] {
  if (outcome.kind !== 'applied') throw new Error(`applied was expected, the store answered ${outcome.kind}`);
  return outcome.entities;
}

/** Writes one entity, which must be accepted, and returns its timestamp. */
export async function write(account: AccountStore, table: string, mutation: Mutation): Promise<string> {
  const [written] = entitiesOf(await account.apply(table, [mutation]));
  if (!written) throw new Error('the store applied a mutation and gave no entity');
  return written.timestamp;
}

/** Reads everything in a table in pages of `limit`, in the order of the store. */
export async function contentsOf(account: AccountStore, table: string, limit = 1000): Promise<EntityRecord[]> {
  const entities: EntityRecord[] = [];
  let from: EntityKey | undefined;
  do {
    const outcome = await account.scan({
      table,
      range: from ? { from } : {},
      limit,
      bytesMax: 1 << 22,
      timeMsMax: 5000,
    });
    if (outcome.kind !== 'page') throw new Error(`a page was expected, the store answered ${outcome.kind}`);
    entities.push(...outcome.entities);
    from = outcome.next;
  } while (from);
  return entities;
}

/** The typed properties of one entity, or undefined if it is missing. */
export async function propertiesOf(
  account: AccountStore,
  table: string,
  key: EntityKey,
): Promise<Properties | undefined> {
  const outcome = await account.get(table, key);
  return outcome.kind === 'found' ? decodeProperties(outcome.entity.properties) : undefined;
}
