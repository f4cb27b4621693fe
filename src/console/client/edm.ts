// Entities as the pages show and edit them. A value is kept as text with its type, so 64-bit integers and doubles keep
// all their digits. Text that is not yet a valid value can also be edited.

import { type EntityRow, keyNames, readEntityText, entityJson as rowJson, valueText } from '../../data/entity-text.ts';
import type { EdmValue } from '../../model/edm.ts';
import { edmFromJson } from '../../model/edm-json.ts';

export type EdmType = EdmValue['type'];

export const edmTypes: readonly EdmType[] = [
  'Edm.String',
  'Edm.Int32',
  'Edm.Int64',
  'Edm.Double',
  'Edm.Boolean',
  'Edm.DateTime',
  'Edm.Guid',
  'Edm.Binary',
];

export interface TypedText {
  readonly type: EdmType;
  /** As the service writes it: `true`, `5.0`, `2026-01-31T12:00:00Z`, base64. */
  readonly text: string;
}

export interface ShownEntity {
  readonly partitionKey: string;
  readonly rowKey: string;
  /** ISO 8601 with up to seven decimals of a second; empty if the timestamp was not selected. */
  readonly timestamp: string;
  /** Empty if the response had none. */
  readonly etag: string;
  /** Without the keys, the timestamp, and selected properties that the entity does not have. */
  readonly properties: ReadonlyMap<string, TypedText>;
}

export type WrittenEntity = Omit<ShownEntity, 'timestamp' | 'etag'>;

/** Parses a typed text. Undefined if the text is not a value of its type. */
export const edmOf = ({ type, text }: TypedText): EdmValue | undefined =>
  edmFromJson(type, { kind: 'string', text }) ?? undefined;

/** Reads one entity of a response. Throws EntityTextError. */
export function entityOf(text: string): ShownEntity {
  const { row, etag } = readEntityText(text);
  const properties = new Map([...row].map(([name, value]) => [name, { type: value.type, text: valueText(value) }]));
  const take = (name: string): string => {
    const found = properties.get(name)?.text ?? '';
    properties.delete(name);
    return found;
  };
  const [partitionKey, rowKey, timestamp] = [take(keyNames[0]), take(keyNames[1]), take('Timestamp')];
  return { partitionKey, rowKey, timestamp, etag, properties };
}

/**
 * Returns the body of a write: the keys, and the properties with their types. Throws an Error if the text of a property
 * is not a value of the property's type.
 */
export function writtenEntityJson({ partitionKey, rowKey, properties }: WrittenEntity): string {
  const row = new Map<string, EdmValue>([
    [keyNames[0], { type: 'Edm.String', value: partitionKey }],
    [keyNames[1], { type: 'Edm.String', value: rowKey }],
  ]);
  for (const [name, property] of properties) {
    const value = edmOf(property);
    if (!value) throw new Error(`Property ${JSON.stringify(name)} holds no value of type ${property.type}.`);
    row.set(name, value);
  }
  return rowJson(row satisfies EntityRow);
}
