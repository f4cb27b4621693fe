import { querySyntaxError } from '../model/service-error.ts';

/** The query of an address: names and values decoded, `+` as a space, the first of each name. */
export type QueryOptions = ReadonlyMap<string, string>;

const none: QueryOptions = new Map();

/** Reads a query string, without its question mark. Throws InvalidInput for one that is not percent-encoded UTF-8. */
export function parseQueryOptions(text: string): QueryOptions {
  if (text === '') return none;
  const options = new Map<string, string>();
  for (const part of text.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = decode(equals === -1 ? part : part.slice(0, equals));
    if (!options.has(name)) options.set(name, equals === -1 ? '' : decode(part.slice(equals + 1)));
  }
  return options;
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    throw querySyntaxError();
  }
}
