import { selectedNamesMax } from '../model/limits.ts';
import { quote } from '../model/printable-text.ts';
import { ServiceError } from '../model/service-error.ts';

/** A projection: the properties that a response holds. */
export interface Projection {
  /** The selected names, each once; undefined for all. */
  readonly names: ReadonlySet<string> | undefined;
  /** The end of the metadata address in the response: `&$select=…`, or an empty string. */
  readonly metadataSuffix: string;
}

export const everything: Projection = { names: undefined, metadataSuffix: '' };

const name = /^(?:\*|[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}\p{Cf}.]*)$/u;

/**
 * Parses `$select`. An empty list and `*` select all properties, and a trailing comma is ignored. Throws InvalidInput
 * for a text that is not a list of names. Evidence: recorded; assumed (`*`; the position in the message if the wrong
 * name is not the first name).
 */
export function parseSelect(text: string | undefined): Projection {
  if (text === undefined) return everything;
  const metadataSuffix = `&$select=${text.trim().replaceAll(' ', '%20')}`;
  const names = readNames(text);
  // Evidence: assumed.
  if (names.size > selectedNamesMax) {
    const why = `$select has ${names.size} names; ${selectedNamesMax} are allowed.`;
    throw new ServiceError('InvalidInput', { stage: 'parse', why });
  }
  return names.size === 0 || names.has('*') ? { names: undefined, metadataSuffix } : { names, metadataSuffix };
}

function readNames(text: string): Set<string> {
  const names = new Set<string>();
  let position = 0;
  for (const item of text.split(',')) {
    const trimmed = item.trim();
    if (trimmed !== '' && !name.test(trimmed)) {
      const message = `An identifier was expected at position ${position + item.indexOf(trimmed)}.`;
      const why = `${quote(trimmed)} in $select is not a property name; commas separate names.`;
      throw new ServiceError('InvalidInput', { stage: 'parse', message, why });
    }
    if (trimmed !== '') names.add(trimmed);
    position += item.length + 1;
  }
  return names;
}
