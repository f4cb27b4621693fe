// An entity while it is edited.

import { type EdmType, edmOf, edmTypes, type TypedText, type WrittenEntity } from '../../client/edm.ts';
import { entityFault, keyFault, nameFault, typedTextFault } from '../../client/edm-faults.ts';

export interface DraftProperty {
  /** Stays the same when the name changes. */
  readonly id: number;
  readonly name: string;
  readonly value: TypedText;
}

export interface Draft {
  readonly partitionKey: string;
  readonly rowKey: string;
  readonly properties: readonly DraftProperty[];
}

export const emptyDraft: Draft = { partitionKey: '', rowKey: '', properties: [] };

export function draftOf({ partitionKey, rowKey, properties }: WrittenEntity): Draft {
  const list = [...properties].map(([name, value], id) => ({ id, name, value }));
  return { partitionKey, rowKey, properties: list };
}

export function entityOfDraft({ partitionKey, rowKey, properties }: Draft): WrittenEntity {
  return { partitionKey, rowKey, properties: new Map(properties.map(({ name, value }) => [name, value])) };
}

export function withProperty(draft: Draft): Draft {
  const id = Math.max(0, ...draft.properties.map((property) => property.id)) + 1;
  const property: DraftProperty = { id, name: '', value: { type: 'Edm.String', text: '' } };
  return { ...draft, properties: [...draft.properties, property] };
}

const emptyValues: Readonly<Record<EdmType, string>> = {
  'Edm.String': '',
  'Edm.Int32': '0',
  'Edm.Int64': '0',
  'Edm.Double': '0.0',
  'Edm.Boolean': 'false',
  'Edm.DateTime': '',
  'Edm.Guid': '',
  'Edm.Binary': '',
};

/** The value in another type. The text stays if it is a value of that type, too. */
export function converted(value: TypedText, type: EdmType): TypedText {
  const next = { type, text: value.text };
  if (value.type !== 'Edm.Binary' && edmOf(next) !== undefined) return next;
  if (value.type !== 'Edm.Binary' && value.text !== '' && value.type === 'Edm.String') return next;
  return { type, text: emptyValues[type] };
}

export interface DraftFaults {
  readonly partitionKey: string | undefined;
  readonly rowKey: string | undefined;
  /** Faults of names and of values, by the id of the property. */
  readonly names: ReadonlyMap<number, string>;
  readonly values: ReadonlyMap<number, string>;
  /** A fault of the entity as a whole. It is looked for only if keys, names and values are right. */
  readonly entity: string | undefined;
  readonly isFaulty: boolean;
}

/** What the service would refuse. */
export function faultsOf(draft: Draft): DraftFaults {
  const { partitionKey, rowKey, properties } = draft;
  const [names, values] = [new Map<number, string>(), new Map<number, string>()];
  const seen = new Set<string>();
  for (const { id, name, value } of properties) {
    const fault = seen.has(name) ? 'Another property has this name.' : nameFault(name);
    seen.add(name);
    if (fault !== undefined) names.set(id, fault);
    const wrong = typedTextFault(name, value);
    if (wrong !== undefined) values.set(id, wrong);
  }
  const keys = { partitionKey: keyFault('partitionKey', partitionKey), rowKey: keyFault('rowKey', rowKey) };
  const isPartFaulty = names.size + values.size > 0 || Object.values(keys).some((fault) => fault !== undefined);
  const entity = isPartFaulty ? undefined : entityFault(entityOfDraft(draft));
  return { ...keys, names, values, entity, isFaulty: isPartFaulty || entity !== undefined };
}

export interface PropertyChange {
  readonly name: string;
  readonly before: TypedText | undefined;
  readonly yours: TypedText | undefined;
  readonly theirs: TypedText | undefined;
}

export interface ThreeWays {
  readonly before: WrittenEntity;
  readonly yours: WrittenEntity;
  readonly theirs: WrittenEntity;
}

const isSame = (one: TypedText | undefined, other: TypedText | undefined): boolean =>
  one?.type === other?.type && one?.text === other?.text;

/** Properties that are not the same in all three versions. */
export function changesOf({ before, yours, theirs }: ThreeWays): readonly PropertyChange[] {
  const names = new Set([before, yours, theirs].flatMap(({ properties }) => [...properties.keys()]));
  return [...names]
    .map((name) => ({
      name,
      before: before.properties.get(name),
      yours: yours.properties.get(name),
      theirs: theirs.properties.get(name),
    }))
    .filter((change) => !isSame(change.before, change.yours) || !isSame(change.before, change.theirs));
}

/** Their version of the entity, with your changes applied to it. */
export function combined({ before, yours, theirs }: ThreeWays): WrittenEntity {
  const properties = new Map(theirs.properties);
  for (const change of changesOf({ before, yours, theirs })) {
    if (isSame(change.before, change.yours)) continue;
    if (change.yours) properties.set(change.name, change.yours);
    else properties.delete(change.name);
  }
  return { ...theirs, properties };
}

/** Whether anything differs. */
export function isChanged(draft: Draft, from: Draft): boolean {
  const [one, other] = [entityOfDraft(draft), entityOfDraft(from)];
  const isOtherKey = one.partitionKey !== other.partitionKey || one.rowKey !== other.rowKey;
  return isOtherKey || draft.properties.length !== from.properties.length || isOtherData(one, other);
}

const isOtherData = (one: WrittenEntity, other: WrittenEntity): boolean =>
  changesOf({ before: other, yours: one, theirs: other }).length > 0;

export const typeOptions = edmTypes.map((value) => ({ value, label: value.slice('Edm.'.length) }));
