import { quote } from '../model/printable-text.ts';
import { ServiceError } from '../model/service-error.ts';
import { versionGates } from './service-version.ts';

export type MetadataLevel = 'none' | 'minimal' | 'full';

export type PayloadFormat = { readonly kind: 'json'; readonly level: MetadataLevel } | { readonly kind: 'atom' };

/** The parts of a request that determine the format of its response. */
export interface FormatOptions {
  readonly accept: string | undefined;
  /** The `$format` option; it overrides Accept. */
  readonly format: string | undefined;
  readonly version: string;
  /** MaxDataServiceVersion or DataServiceVersion. Undefined means the highest that `version` allows. */
  readonly dataServiceVersion?: string | undefined;
  /** Whether the response is JSON if the service would refuse the format. */
  readonly isLoose?: boolean;
}

const levels: ReadonlyMap<string, MetadataLevel> = new Map([
  ['nometadata', 'none'],
  ['minimalmetadata', 'minimal'],
  ['fullmetadata', 'full'],
]);

const jsonFormats: Readonly<Record<MetadataLevel, PayloadFormat>> = {
  none: { kind: 'json', level: 'none' },
  minimal: { kind: 'json', level: 'minimal' },
  full: { kind: 'json', level: 'full' },
};
const atom: PayloadFormat = { kind: 'atom' };

/** The common values of Accept, answered without parsing. */
const commonFormats: ReadonlyMap<string, PayloadFormat> = new Map([
  ['application/json', jsonFormats.minimal],
  ...[...levels].map(([name, level]) => [`application/json;odata=${name}`, jsonFormats[level]] as const),
]);

/**
 * Returns the format of a response, or the refusal of the requested format. Evidence: recorded; documented (Payload
 * format for Table service operations); the choice among several types is assumed.
 */
export function negotiateFormat(options: FormatOptions): PayloadFormat | ServiceError {
  const format = serviceFormat(options);
  return options.isLoose && format instanceof ServiceError ? jsonFormats.minimal : format;
}

function serviceFormat(options: FormatOptions): PayloadFormat | ServiceError {
  const { accept, format, version } = options;
  const wanted = format === undefined ? accept : (formatNames.get(format.toLowerCase()) ?? format);
  if (wanted === undefined) {
    return version < versionGates.jsonOnly ? atom : atomRefusal(version, 'No Accept header');
  }
  const isJsonKnown = isThirdProtocol(options.dataServiceVersion, version);
  const common = isJsonKnown ? commonFormats.get(wanted) : undefined;
  return common ?? negotiateList(parseAccept(wanted), { version, isJsonKnown });
}

const formatNames: ReadonlyMap<string, string> = new Map([
  ['json', 'application/json'],
  ['atom', 'application/atom+xml'],
]);

/** The format of an error's body: Atom if the service refuses the format that was asked for. */
export function errorFormat(options: FormatOptions): PayloadFormat {
  const format = negotiateFormat(options);
  return format instanceof ServiceError ? atom : format;
}

interface MediaRange {
  readonly type: string;
  readonly odata: string | undefined;
  readonly quality: number;
}

/**
 * Limit: the number of media types in a header, and the number of parameters of a type. Further types and parameters
 * are ignored, because the caller is not authenticated yet. Evidence: assumed.
 */
const rangesMax = 32;
const parametersMax = 8;

function parseAccept(text: string): MediaRange[] {
  const ranges = text.split(',', rangesMax).map((item) => {
    const [type = '', ...parameters] = item.split(';', parametersMax + 1).map((part) => part.trim().toLowerCase());
    const parameterOf = (name: string) =>
      parameters.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1);
    return { type, odata: parameterOf('odata'), quality: Number(parameterOf('q') ?? 1) };
  });
  return ranges.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality);
}

/**
 * Whether a request is in version 3.0 of the data service protocol, the first version with JSON. In a value such as
 * `2.0;NetFx`, only the number counts.
 */
export function isThirdProtocol(dataServiceVersion: string | undefined, version: string): boolean {
  if (version < versionGates.json) return false;
  return dataServiceVersion === undefined || !/^\s*[12](?:\.\d+)?\s*(?:;|$)/.test(dataServiceVersion);
}

interface Known {
  readonly version: string;
  readonly isJsonKnown: boolean;
}

/** Creates a refusal only if it is needed, because the stack trace of an error costs more than reading a header. */
type Refuse = () => ServiceError;

function negotiateList(ranges: readonly MediaRange[], known: Known): PayloadFormat | ServiceError {
  let refuse: Refuse | undefined;
  for (const range of ranges) {
    const format = formatOf(range, known);
    if (typeof format !== 'function') return format;
    refuse ??= format;
  }
  return (
    refuse?.() ?? new ServiceError('MediaTypeNotSupported', { stage: 'parse', why: ['Accept names no type.', advice] })
  );
}

const advice = 'Send Accept: application/json;odata=minimalmetadata (or nometadata, fullmetadata).';

function atomRefusal(version: string, what: string): ServiceError {
  const why = [`${what} asks for Atom; version ${version} has JSON only.`, advice];
  return new ServiceError('AtomFormatNotSupported', { stage: 'parse', why });
}

function jsonRefusal(version: string): ServiceError {
  const why =
    version < versionGates.json
      ? `x-ms-version ${version} has no JSON, which came with ${versionGates.json}.`
      : 'JSON needs DataServiceVersion and MaxDataServiceVersion 3.0, or neither header.';
  return new ServiceError('JsonFormatNotSupported', { stage: 'parse', why });
}

function formatOf({ type, odata }: MediaRange, { version, isJsonKnown }: Known): PayloadFormat | Refuse {
  switch (type) {
    case 'application/json':
      if (!isJsonKnown) return () => jsonRefusal(version);
      if (odata === 'verbose') return verboseRefusal;
      return jsonFormats[levels.get(odata ?? '') ?? 'minimal'];
    // Evidence: recorded: `*/*` is answered with Atom at every version.
    case '*/*':
    case 'application/*':
      return atom;
    case 'application/atom+xml':
    case 'application/xml':
      return version < versionGates.jsonOnly ? atom : () => atomRefusal(version, `Accept: ${type}`);
    default:
      return () =>
        new ServiceError('MediaTypeNotSupported', { stage: 'parse', why: [`Accept is ${quote(type)}.`, advice] });
  }
}

function verboseRefusal(): ServiceError {
  return new ServiceError('JsonVerboseFormatNotSupported', {
    stage: 'parse',
    why: ['odata=verbose is not supported.', advice],
  });
}

const levelNames: Readonly<Record<MetadataLevel, string>> = {
  none: 'nometadata',
  minimal: 'minimalmetadata',
  full: 'fullmetadata',
};

/** Content-Type of a JSON response. Evidence: recorded. */
export function jsonContentType(level: MetadataLevel): string {
  return `application/json;odata=${levelNames[level]};streaming=true;charset=utf-8`;
}
