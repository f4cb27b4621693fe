/** Query options by name. Names and values are decoded, `+` as a space; of a repeated option the first counts. */
export type QueryOptions = ReadonlyMap<string, string>;

export interface ParsedQuery {
  readonly options: QueryOptions;
  /** Whether all of the query is percent-encoded UTF-8. Options that are not are left out. */
  readonly isReadable: boolean;
  /** Whether an option of OData, whose name begins with `$`, is given more than once. */
  readonly isRepetitive: boolean;
  /** Names that occur more than once, compared without case; in lower case. */
  readonly repeatedNames: ReadonlySet<string>;
}

const noNames: ReadonlySet<string> = new Set();
const emptyQuery: ParsedQuery = {
  options: new Map(),
  isReadable: true,
  isRepetitive: false,
  repeatedNames: noNames,
};

/** Parses a query string without its question mark. Never throws: its faults are refused once the caller is known. */
export function parseQueryOptions(text: string): ParsedQuery {
  if (text === '') return emptyQuery;
  const options = new Map<string, string>();
  const seen = new Set<string>();
  let repeated: Set<string> | undefined;
  let isReadable = true;
  let isRepetitive = false;
  for (const part of text.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = decode(equals === -1 ? part : part.slice(0, equals));
    const value = equals === -1 ? '' : decode(part.slice(equals + 1));
    const lookup = name?.toLowerCase();
    if (lookup !== undefined && seen.has(lookup)) repeated = (repeated ?? new Set()).add(lookup);
    else if (lookup !== undefined) seen.add(lookup);
    if (name === undefined || value === undefined) isReadable = false;
    else if (!options.has(name)) options.set(name, value);
    else if (name.startsWith('$')) isRepetitive = true;
  }
  return { options, isReadable, isRepetitive, repeatedNames: repeated ?? noNames };
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
