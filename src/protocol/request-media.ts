import { quote } from '../model/printable-text.ts';
import { ServiceError } from '../model/service-error.ts';
import { versionGates } from './service-version.ts';

const atomTypes = new Set(['application/atom+xml', 'application/xml', 'text/xml']);

const jsonType = 'application/json';
const advice = `Send Content-Type: ${jsonType}.`;

/** The type that a Content-Type names, in lower case and without parameters. */
export function mediaTypeOf(contentType: string | undefined): string {
  if (contentType === undefined) return '';
  if (frequentTypes.has(contentType)) return contentType;
  return contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** Most requests have one of these types, written exactly like this. */
const frequentTypes = new Set(['application/json', 'application/http']);

/**
 * Returns the format of a request body by its Content-Type. Throws a refusal with status 415 for a type that the
 * service does not read at the given version.
 */
export function parseRequestMedia(contentType: string | undefined, version: string): 'json' | 'atom' {
  const type = mediaTypeOf(contentType);
  if (type === jsonType) {
    if (version >= versionGates.json) return 'json';
    const why = `x-ms-version ${version} has no JSON, which came with ${versionGates.json}.`;
    throw new ServiceError('JsonFormatNotSupported', { stage: 'parse', why });
  }
  // Evidence: assumed: a body without a type has the default format, Atom.
  if (type === '' || atomTypes.has(type)) {
    if (version < versionGates.jsonOnly) return 'atom';
    const given = type === '' ? 'No Content-Type' : `Content-Type: ${type}`;
    const why = [`${given} means Atom; version ${version} has JSON only.`, advice];
    throw new ServiceError('AtomFormatNotSupported', { stage: 'parse', why });
  }
  throw new ServiceError('MediaTypeNotSupported', {
    stage: 'parse',
    why: [`Content-Type is ${quote(type)}.`, advice],
  });
}

/** Like parseRequestMedia, but reads a body as JSON if the service would refuse its type. */
export function looseRequestMedia(contentType: string | undefined, version: string): 'json' | 'atom' {
  const isAtom = contentType !== undefined && /^\s*application\/atom\+xml/i.test(contentType);
  return isAtom && version < versionGates.jsonOnly ? 'atom' : 'json';
}

/** Whether a request asks for Atom: it accepts Atom and not JSON, or sends Atom. */
export function mentionsAtom(accept: string | undefined, contentType: string | undefined): boolean {
  if (accept?.includes('application/json')) return false;
  return [accept, contentType].some((header) => header?.toLowerCase().includes('application/atom+xml'));
}

/** Whether a request asks for JSON: it sends or accepts JSON, or names it in `$format`. */
export function mentionsJson({ accept, contentType, format }: MentionedTypes): boolean {
  if (format !== undefined && /json/i.test(format)) return true;
  return [accept, contentType].some((header) => header?.toLowerCase().includes(jsonType));
}

export interface MentionedTypes {
  readonly accept: string | undefined;
  readonly contentType: string | undefined;
  /** The `$format` option. */
  readonly format: string | undefined;
}
