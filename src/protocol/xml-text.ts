// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are written as references
const referred = /[&<>\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g;
const names: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Escapes text inside an element. Line feed and tab are unchanged. Every other control character becomes a reference in
 * upper-case hexadecimal, although XML 1.0 forbids most of these references. Evidence: recorded for `&`, `<` and `>`;
 * the references to control characters are assumed.
 */
export function escapeXmlText(text: string): string {
  return text.replace(referred, (unit) => names[unit] ?? `&#x${unit.charCodeAt(0).toString(16).toUpperCase()};`);
}

/** Escapes text inside an attribute in quotation marks. An apostrophe stays. Evidence: recorded. */
export function escapeXmlAttribute(text: string): string {
  return escapeXmlText(text).replaceAll('"', '&quot;');
}
