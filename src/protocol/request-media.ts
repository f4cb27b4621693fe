import { ServiceError } from '../model/service-error.ts';
import { versionGates } from './service-version.ts';

const atomTypes = new Set(['application/atom+xml', 'application/xml', 'text/xml']);

/** The format of a request's body by its Content-Type. Throws 415 for one the service does not read at that version. */
export function parseRequestMedia(contentType: string | undefined, version: string): 'json' | 'atom' {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/json') {
    if (version >= versionGates.json) return 'json';
    throw new ServiceError('JsonFormatNotSupported', { stage: 'parse' });
  }
  // Evidence: no type at all is taken as the default format, Atom: assumed.
  if (type === '' || atomTypes.has(type)) {
    if (version < versionGates.jsonOnly) return 'atom';
    throw new ServiceError('AtomFormatNotSupported', { stage: 'parse' });
  }
  throw new ServiceError('MediaTypeNotSupported', { stage: 'parse' });
}

/** As parseRequestMedia, but whatever the service would not read is JSON. */
export function looseRequestMedia(contentType: string | undefined, version: string): 'json' | 'atom' {
  const isAtom = contentType !== undefined && /^\s*application\/atom\+xml/i.test(contentType);
  return isAtom && version < versionGates.jsonOnly ? 'atom' : 'json';
}
