// Entities as the table service writes them in JSON. A value is kept as text beside its type, so that no 64-bit integer and no
// double loses a digit.

export const edmTypes = [
  'Edm.String',
  'Edm.Int32',
  'Edm.Int64',
  'Edm.Double',
  'Edm.Boolean',
  'Edm.DateTime',
  'Edm.Guid',
  'Edm.Binary',
] as const;
export type EdmType = (typeof edmTypes)[number];

export interface EdmValue {
  readonly type: EdmType;
  /** As the service writes it: `true`, `5.0`, `2026-01-31T12:00:00Z`, base64. */
  readonly text: string;
}

export interface Entity {
  readonly partitionKey: string;
  readonly rowKey: string;
  /** ISO 8601 with up to seven digits of a second; empty if it was not selected. */
  readonly timestamp: string;
  /** Empty if the response had none. */
  readonly etag: string;
  /** Without the keys and the timestamp; a property that is selected and absent is left out. */
  readonly properties: ReadonlyMap<string, EdmValue>;
}

type Members = Readonly<Record<string, unknown>>;

/** A number of a response, with the text that it had: JSON.parse would make 5 of 5.0. */
class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Parses a JSON body and keeps the texts of numbers for `entityOf`. */
export function parseJson(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown, ...rest: unknown[]) => {
    if (typeof value !== 'number') return value;
    const [context] = rest as [{ readonly source?: string }?];
    return new NumberText(context?.source ?? String(value));
  });
}

/** Reads one entity of a body that `parseJson` parsed. */
export function entityOf(members: Members): Entity {
  const textOf = (name: string): string => (typeof members[name] === 'string' ? members[name] : '');
  const properties = new Map<string, EdmValue>();
  for (const [name, value] of Object.entries(members)) {
    if (/[.@]/.test(name) || isSystemName(name)) continue;
    const read = readValue(value, members[`${name}@odata.type`]);
    if (read) properties.set(name, read);
  }
  return {
    partitionKey: textOf('PartitionKey'),
    rowKey: textOf('RowKey'),
    timestamp: textOf('Timestamp'),
    etag: textOf('odata.etag'),
    properties,
  };
}

/** Reads one entity of a file, in which SDKs and tools write its ETag as a member or as a column without a type. */
export function fileEntityOf(members: Members): Entity {
  const { ETag: etag, ...others } = members;
  const isProperty = 'ETag@odata.type' in members || 'odata.etag' in members || !isLikeEtag('ETag', etag);
  return entityOf(isProperty ? members : others);
}

const isSystemName = (name: string): boolean => name === 'PartitionKey' || name === 'RowKey' || name === 'Timestamp';

function readValue(value: unknown, annotation: unknown): EdmValue | undefined {
  const type = edmTypes.find((name) => name === annotation);
  if (value instanceof NumberText) {
    return { type: type ?? (/^-?\d+$/.test(value.text) ? 'Edm.Int32' : 'Edm.Double'), text: value.text };
  }
  if (typeof value === 'boolean') return { type: 'Edm.Boolean', text: String(value) };
  return typeof value === 'string' ? { type: type ?? 'Edm.String', text: value } : undefined;
}

/** The body of a write: keys and properties with their types. */
export function entityJson({ partitionKey, rowKey, properties }: Omit<Entity, 'timestamp' | 'etag'>): string {
  const keys = [`"PartitionKey":${JSON.stringify(partitionKey)}`, `"RowKey":${JSON.stringify(rowKey)}`];
  return `{${[...keys, ...[...properties].map(([name, value]) => memberOf(name, value))].join(',')}}`;
}

function memberOf(name: string, { type, text }: EdmValue): string {
  const value = isBare(type, text) ? text : JSON.stringify(text);
  const annotation =
    needsType(type) || isLikeEtag(name, text) ? `${JSON.stringify(`${name}@odata.type`)}:"${type}",` : '';
  return `${annotation}${JSON.stringify(name)}:${value}`;
}

/** Whether JSON has the value without quotation marks. A text that is no number goes as text, for the service to refuse. */
function isBare(type: EdmType, text: string): boolean {
  if (type === 'Edm.Boolean') return text === 'true' || text === 'false';
  return (type === 'Edm.Int32' || type === 'Edm.Double') && /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
}

/** Where a file has an ETag next to the properties, it looks like this: a property that does is written with its type. */
export const isLikeEtag = (name: string, value: unknown): boolean =>
  name === 'ETag' && typeof value === 'string' && value.startsWith('W/"');

const needsType = (type: EdmType): boolean => type !== 'Edm.String' && type !== 'Edm.Boolean';
