// The sample: the entities with which a key design is tried, in the order in which a program writes them.

import type { EdmValue } from '../../model/edm.ts';
import { encodeProperties } from '../../model/properties.ts';
import type { PropertyType } from './known-values.ts';
import type { Pause } from './pause.ts';

/** Includes the keys and the Timestamp, if the entity has them. */
export type SampleEntity = ReadonlyMap<string, EdmValue>;

export interface SampleOptions {
  /** The property that gives the order of the writes. */
  readonly orderBy?: string | undefined;
  /**
   * A name for the order in which the entities are given, such as `in the order of the file`. Undefined if this order
   * is not the order of the writes.
   */
  readonly givenOrder?: string | undefined;
  readonly pause: Pause;
}

/** A key that the entities have now, and a property that has the same text. */
export interface PresentKey {
  readonly key: KeyName;
  readonly property: string;
  /**
   * Whether the entities already have this property. `prepareSample` adds a missing property to the sample. If the
   * queries of a program still need the present key under the new design, the program must add the missing property
   * too.
   */
  readonly isOwn: boolean;
}

export type KeyName = 'PartitionKey' | 'RowKey';

export interface Sample {
  /** The entities without their keys. The texts of the keys are in properties. */
  readonly entities: readonly SampleEntity[];
  /** For each entity, the bytes that its properties take in a page. */
  readonly bytes: readonly number[];
  readonly types: ReadonlyMap<string, ReadonlySet<PropertyType>>;
  /** Both keys, or an empty list if the entities have no keys. */
  readonly presentKeys: readonly PresentKey[];
  /** How the order of the writes is known, such as "by Timestamp". Null if it is not known. */
  readonly order: string | null;
}

/** Thrown if the request does not fit the entities, for example if it names a property that none of them has. */
export class SimulationFault extends Error {}

export async function prepareSample(given: readonly SampleEntity[], options: SampleOptions): Promise<Sample> {
  const presentKeys = presentKeysOf(given);
  const { entities: ordered, order } = inOrder(given, options);
  const entities: SampleEntity[] = [];
  const bytes: number[] = [];
  const types = new Map<string, Set<PropertyType>>();
  for (const entity of ordered) {
    await options.pause();
    const own = withoutKeys(entity, presentKeys);
    entities.push(own);
    for (const [name, { type }] of own) {
      const known = types.get(name);
      if (known) known.add(type);
      else types.set(name, new Set([type]));
    }
    const stored = [...own].filter(([name]) => name !== 'Timestamp');
    bytes.push(encodeProperties(new Map(stored)).length);
  }
  return { entities, bytes, types, presentKeys, order };
}

const keyNames: readonly KeyName[] = ['PartitionKey', 'RowKey'];

function presentKeysOf(entities: readonly SampleEntity[]): readonly PresentKey[] {
  if (entities.length === 0 || !entities.every((entity) => keyNames.every((key) => entity.has(key)))) return [];
  return keyNames.map((key) => {
    const own = ownPropertyOf(entities, key);
    return { key, property: own ?? freeName(entities, `Old${key}`), isOwn: own !== undefined };
  });
}

/** A string property that has the same text as the key in every entity. */
function ownPropertyOf(entities: readonly SampleEntity[], key: KeyName): string | undefined {
  let names = [...(entities[0]?.keys() ?? [])].filter((name) => name !== 'PartitionKey' && name !== 'RowKey');
  for (const entity of entities) {
    const text = entity.get(key)?.value;
    names = names.filter((name) => {
      const value = entity.get(name);
      return value?.type === 'Edm.String' && value.value === text;
    });
    if (names.length === 0) return undefined;
  }
  return names[0];
}

function freeName(entities: readonly SampleEntity[], wanted: string): string {
  let name = wanted;
  while (entities.some((entity) => entity.has(name))) name += '_';
  return name;
}

function withoutKeys(entity: SampleEntity, presentKeys: readonly PresentKey[]): SampleEntity {
  const own = new Map(entity);
  for (const key of keyNames) own.delete(key);
  for (const { key, property, isOwn } of presentKeys) {
    const value = entity.get(key);
    if (!isOwn && value) own.set(property, value);
  }
  return own;
}

type Ordered = Pick<Sample, 'entities' | 'order'>;

function inOrder(entities: readonly SampleEntity[], { orderBy, givenOrder }: SampleOptions): Ordered {
  if (orderBy !== undefined) {
    if (!entities.some((entity) => entity.has(orderBy))) throw noProperty(orderBy, entities);
    return { entities: sortedBy(orderBy, entities), order: `by ${orderBy}` };
  }
  const moments = new Set(entities.map((entity) => entity.get('Timestamp')?.value));
  // Entities with the same Timestamp were loaded together. If there are many such entities, the Timestamps do not show
  // the order in which a program writes the entities.
  const isKnown = !moments.has(undefined) && moments.size * 2 > entities.length;
  if (isKnown) return { entities: sortedBy('Timestamp', entities), order: 'by Timestamp' };
  return { entities, order: givenOrder ?? null };
}

function sortedBy(property: string, entities: readonly SampleEntity[]): readonly SampleEntity[] {
  const compare = (a: SampleEntity, b: SampleEntity): number => compareValues(a.get(property), b.get(property));
  return entities.toSorted(compare);
}

/** Entities without a value come first. Values of different types are sorted by the name of the type. */
function compareValues(a: EdmValue | undefined, b: EdmValue | undefined): number {
  if (!a || !b) return Number(a !== undefined) - Number(b !== undefined);
  if (a.type !== b.type) return a.type < b.type ? -1 : 1;
  return a.value < b.value ? -1 : a.value > b.value ? 1 : 0;
}

const namesShown = 12;

/** "no entity has Departement; they have Department, Name" */
export function noProperty(name: string, entities: readonly SampleEntity[]): SimulationFault {
  const names = [...new Set(entities.slice(0, 100).flatMap((entity) => [...entity.keys()]))];
  const meant = names.find((other) => other.toLowerCase() === name.toLowerCase());
  if (meant !== undefined) return new SimulationFault(`no entity has ${name}, but ${meant}: case counts`);
  const more = names.length > namesShown ? ' …' : '';
  const list = names.length === 0 ? '' : `; they have ${names.slice(0, namesShown).join(', ')}${more}`;
  return new SimulationFault(`no entity has ${name}${list}`);
}
