/** An attribute of a span, an event or a resource, in the JSON form of OTLP. */
export interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string };
}

/** Of a value; names of tables, hosts and clients are shorter. */
const valueCharsMax = 512;

/** Whole numbers are texts in OTLP's JSON. Members that are undefined are left out. */
export function attributesOf(values: Readonly<Record<string, string | number | undefined>>): Attribute[] {
  const attributes: Attribute[] = [];
  for (const key in values) {
    const value = values[key];
    if (value === undefined) continue;
    attributes.push(
      typeof value === 'string'
        ? { key, value: { stringValue: value.length > valueCharsMax ? `${value.slice(0, valueCharsMax)}…` : value } }
        : { key, value: { intValue: String(Math.round(value)) } },
    );
  }
  return attributes;
}
