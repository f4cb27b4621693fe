/** Values by name; undefined values are left out. */
export type AttributeValues = Readonly<Record<string, string | number | undefined>>;

/** Maximum for a value; names of tables, hosts and clients are shorter. */
const valueCharsMax = 512;

/** Attributes in the JSON form of OTLP, where whole numbers are texts. Joined by hand: JSON.stringify takes several times as long. */
export function renderAttributes(values: AttributeValues): string {
  let text = '';
  for (const key in values) text += renderAttribute(renderValue(key).slice(1, -1), values[key]);
  return `[${text.slice(1)}]`;
}

/** One attribute after a comma; empty for a value that is undefined. The name needs no escape. */
export function renderAttribute(name: string, value: string | number | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return `,{"key":"${name}","value":{"stringValue":${renderValue(value)}}}`;
  return `,{"key":"${name}","value":{"intValue":"${Math.round(value)}"}}`;
}

/** Text without characters that JSON escapes. */
const plain = /^[ !#-[\]-~]*$/;

/** As JSON. */
export function renderValue(text: string): string {
  const cut = text.length > valueCharsMax ? `${text.slice(0, valueCharsMax)}…` : text;
  return plain.test(cut) ? `"${cut}"` : JSON.stringify(cut);
}
