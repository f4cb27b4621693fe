/** The query of an address: names and values decoded, `+` as a space, the first of each name. */
export type QueryOptions = ReadonlyMap<string, string>;

const none: QueryOptions = new Map();

/**
 * Reads a query string, without its question mark. What is not percent-encoded UTF-8 is left out, and `isReadable`
 * says so: it is refused only once the caller is known.
 */
export function parseQueryOptions(text: string): { options: QueryOptions; isReadable: boolean } {
  if (text === '') return { options: none, isReadable: true };
  const options = new Map<string, string>();
  let isReadable = true;
  for (const part of text.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = decode(equals === -1 ? part : part.slice(0, equals));
    const value = equals === -1 ? '' : decode(part.slice(equals + 1));
    if (name === undefined || value === undefined) isReadable = false;
    else if (!options.has(name)) options.set(name, value);
  }
  return { options, isReadable };
}

function decode(text: string): string | undefined {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return undefined;
  }
}
