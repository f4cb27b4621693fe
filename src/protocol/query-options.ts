/**
 * The values of query options by name. Names and values are decoded, and `+` is decoded as a space. If an option is
 * repeated, its first value counts.
 */
export type QueryOptions = ReadonlyMap<string, string>;

export interface ParsedQuery {
  readonly options: QueryOptions;
  /** A sentence that says why a part of the query is left out; undefined if the entire query was read. */
  readonly fault: string | undefined;
  /** Whether an option of OData, whose name begins with `$`, is given more than once. */
  readonly isRepetitive: boolean;
  /** Names that occur more than once, in lower case. Names that differ only in case count as the same name. */
  readonly repeatedNames: ReadonlySet<string>;
}

const noNames: ReadonlySet<string> = new Set();
const emptyQuery: ParsedQuery = {
  options: new Map(),
  fault: undefined,
  isRepetitive: false,
  repeatedNames: noNames,
};

/**
 * The maximum number of options in a query. There is a maximum because a query is read before its caller is
 * authenticated. A client needs at most 24 options: 16 for a signature, and 8 others.
 */
export const queryOptionsMax = 64;

/**
 * Parses a query string without its question mark. Never throws: the result reports a faulty query in `fault`, because
 * such a query is refused only after the caller is authenticated.
 */
export function parseQueryOptions(text: string): ParsedQuery {
  if (text === '') return emptyQuery;
  const options = new Map<string, string>();
  const seen = new Set<string>();
  let repeated: Set<string> | undefined;
  let fault: string | undefined;
  let isRepetitive = false;
  const parts = text.split('&', queryOptionsMax + 1);
  if (parts.length > queryOptionsMax) {
    parts.pop();
    fault = `The query has more than ${queryOptionsMax} options.`;
  }
  for (const part of parts) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = decode(equals === -1 ? part : part.slice(0, equals));
    const value = equals === -1 ? '' : decode(part.slice(equals + 1));
    const lookup = name?.toLowerCase();
    if (lookup !== undefined && seen.has(lookup)) repeated = (repeated ?? new Set()).add(lookup);
    else if (lookup !== undefined) seen.add(lookup);
    if (name === undefined || value === undefined) fault ??= 'The query is not percent-encoded UTF-8.';
    else if (!options.has(name)) options.set(name, value);
    else if (name.startsWith('$')) isRepetitive = true;
  }
  return { options, fault, isRepetitive, repeatedNames: repeated ?? noNames };
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
