/** Values by name; undefined values are left out. */
export type AttributeValues = Readonly<Record<string, string | number | undefined>>;

/** Maximum length of a value. Names of tables, hosts and clients are shorter. */
const valueCharsMax = 512;

/**
 * Returns the attributes in the JSON form of OTLP, in which integers are strings. Joins the JSON from texts, because
 * JSON.stringify takes several times as long.
 */
export function renderAttributes(values: AttributeValues): string {
  let text = '';
  for (const key in values) text += renderAttribute(renderValue(key).slice(1, -1), values[key]);
  return `[${text.slice(1)}]`;
}

/** A comma and one attribute; empty if the value is undefined. The name must not need an escape. */
export function renderAttribute(name: string, value: string | number | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return `,{"key":"${name}","value":{"stringValue":${renderValue(value)}}}`;
  return `,{"key":"${name}","value":{"intValue":"${Math.round(value)}"}}`;
}

/** Text without characters that JSON escapes. */
const plain = /^[ !#-[\]-~]*$/;

/** The text as JSON. */
export function renderValue(text: string): string {
  const cut = text.length > valueCharsMax ? `${text.slice(0, valueCharsMax)}…` : text;
  return plain.test(cut) ? `"${cut}"` : JSON.stringify(cut);
}
