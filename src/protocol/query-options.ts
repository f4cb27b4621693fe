/** The query of an address: names and values decoded, `+` as a space, the first of each name. */
export type QueryOptions = ReadonlyMap<string, string>;

const none: QueryOptions = new Map();

export interface ReadQuery {
  readonly options: QueryOptions;
  /** Whether all of it is percent-encoded UTF-8; what is not is left out. */
  readonly isReadable: boolean;
  /** Whether one of OData's options is given more than once; the first counts. */
  readonly isRepetitive: boolean;
}

/** Reads a query string, without its question mark. What is wrong with it is refused only once the caller is known. */
export function parseQueryOptions(text: string): ReadQuery {
  if (text === '') return { options: none, isReadable: true, isRepetitive: false };
  const options = new Map<string, string>();
  let isReadable = true;
  let isRepetitive = false;
  for (const part of text.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = decode(equals === -1 ? part : part.slice(0, equals));
    const value = equals === -1 ? '' : decode(part.slice(equals + 1));
    if (name === undefined || value === undefined) isReadable = false;
    else if (!options.has(name)) options.set(name, value);
    else if (name.startsWith('$')) isRepetitive = true;
  }
  return { options, isReadable, isRepetitive };
}

/** Names that a query string holds more than once, decoded and in lower case. */
export function repeatedNames(text: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const part of text.split('&')) {
    const name = decode(part.split('=', 1)[0] ?? '')?.toLowerCase();
    if (name === undefined || name === '') continue;
    (seen.has(name) ? repeated : seen).add(name);
  }
  return repeated;
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
