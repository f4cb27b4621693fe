import type { IncomingHttpHeaders } from 'node:http';
import type { Grant } from '../auth/grant.ts';
import type { BufferPool } from '../model/buffer-pool.ts';
import { pageEntitiesMax, requestTimeoutMsMax } from '../model/limits.ts';
import { quote } from '../model/printable-text.ts';
import type { RequestRecord } from '../model/request-record.ts';
import type { Schedule } from '../model/schedule.ts';
import { ServiceError } from '../model/service-error.ts';
import type { Clock } from '../model/time.ts';
import type { Address, Resource } from '../protocol/address.ts';
import {
  errorFormat,
  type FormatOptions,
  isThirdProtocol,
  negotiateFormat,
  type PayloadFormat,
} from '../protocol/payload-format.ts';
import type { QueryOptions } from '../protocol/query-options.ts';
import {
  looseRequestMedia,
  mediaTypeOf,
  mentionsAtom,
  mentionsJson,
  parseRequestMedia,
} from '../protocol/request-media.ts';
import { isKnownVersion, newestVersion, oldestVersion, parseServiceVersion } from '../protocol/service-version.ts';
import type { Compatibility } from './compatibility.ts';
import { headerOf } from './http-message.ts';

/** What a request asks for besides its address and body. */
export interface NegotiatedHeaders {
  readonly version: string;
  /** The format of the response body, or the refusal of the format that was asked for. */
  readonly format: PayloadFormat | ServiceError;
  /**
   * The value of MaxDataServiceVersion, or of DataServiceVersion if MaxDataServiceVersion is missing. If a request in a
   * batch has neither header, it inherits the value of the batch.
   */
  readonly dataServiceVersion: string | undefined;
  /** Whether the client uses version 3.0 of the data service protocol. */
  readonly isThirdProtocol: boolean;
  readonly preference: Preference | undefined;
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly accept: string | undefined;
  readonly contentType: string | undefined;
  /** Whether the request asks for a report of how its query was carried out (header `x-emulator-explain`). */
  readonly isExplained: boolean;
  /** See Compatibility. */
  readonly isLoose: boolean;
  /** Whether a web page may have sent the request: browsers add Origin to every request that is not a GET. */
  readonly isFromPage: boolean;
}

export type Preference = 'return-content' | 'return-no-content';

export type ResourceKind = Resource['kind'];

/** The resources of one kind, or of several. */
export type ResourceOf<Kind extends ResourceKind> = Extract<Resource, { readonly kind: Kind }>;

/**
 * A request that is parsed except for its payload. Operations decode the payload and encode the response. `Named` is
 * the type of the resource in the address.
 */
export interface TableRequest<Named extends Resource = Resource> {
  readonly address: Address & { readonly resource: Named };
  readonly query: QueryOptions;
  readonly negotiated: NegotiatedHeaders;
  readonly body: Buffer;
  readonly record: RequestRecord;
  readonly clock: Clock;
  readonly schedule: Schedule;
  /** Memory for the body of a large response. */
  readonly buffers: BufferPool;
  /** What the caller may do. */
  readonly grant: Grant;
}

export interface ParsedHeaders extends NegotiatedHeaders {
  readonly query: QueryOptions;
}

/** Reads what a request asks for. Throws InvalidHeaderValue for a version that the service does not have. */
export function negotiateHeaders(
  headers: IncomingHttpHeaders,
  address: Address,
  compatibility: Compatibility,
): ParsedHeaders {
  const version = negotiateVersion(headers, address.query.options, compatibility);
  return parseHeaders(headers, address, { version, isLoose: compatibility.isLoose, dataServiceVersion: undefined });
}

/** The headers that the form of a refusal depends on. */
export interface ErrorNegotiation {
  readonly format: PayloadFormat;
  /** The version that determines the form of the response. */
  readonly version: string;
  /** The version that the request names; undefined if it names none, or one that does not exist. */
  readonly namedVersion: string | undefined;
}

/**
 * Reads the headers that the form of a refusal depends on. Never throws, because the refusal may be about these
 * headers.
 */
export function negotiateErrorHeaders(
  headers: IncomingHttpHeaders,
  query: QueryOptions,
  compatibility: Compatibility,
): ErrorNegotiation {
  const known = attempt(() => negotiateVersion(headers, query, compatibility));
  const version = known ?? newestVersion;
  const { isLoose } = compatibility;
  return {
    format: errorFormat(formatOptions(headers, { format: query.get('$format'), version, isLoose })),
    version,
    namedVersion: namedVersion(headers, query) === undefined ? undefined : known,
  };
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/**
 * Returns the version of the service that determines the response. If a request names no version and `isAtom` is true,
 * the version is the oldest one, which answers in Atom. If a request names no version and `isAtom` is false, for
 * example because the request asks for JSON, the version is the newest one. Evidence: documented (Versioning for Azure
 * Storage: an old version applies without the header); sdk (System.Data.Services.Client sends no version; PowerShell's
 * Invoke-WebRequest sends neither a version nor Accept, and gets 200 with Atom); the newest version for JSON is a
 * deviation (docs/differences.md).
 */
function negotiateVersion(
  headers: IncomingHttpHeaders,
  query: QueryOptions,
  { versions, isLoose }: Pick<Compatibility, 'versions' | 'isLoose'>,
): string {
  const named = namedVersion(headers, query);
  return !named && isAtom(headers, query, isLoose) ? oldestVersion : parseServiceVersion(named, versions);
}

/**
 * Whether a request without a version is for the service's old versions, which answer in Atom by default. If the
 * headers name Atom, the result is true. If they do not, the result is false for three kinds of requests: requests with
 * `comp` (whose responses are always XML), batches (whose parts have their own formats), and preflights.
 */
function isAtom(headers: IncomingHttpHeaders, query: QueryOptions, isLoose: boolean): boolean {
  const { accept, 'content-type': contentType } = headers;
  if (mentionsAtom(accept, contentType)) return true;
  if (isLoose || mentionsJson({ accept, contentType, format: query.get('$format') })) return false;
  const isPreflight = headers['access-control-request-method'] !== undefined;
  return !isPreflight && !query.has('comp') && mediaTypeOf(contentType) !== 'multipart/mixed';
}

/**
 * Returns the version that a request names. `sv` of a signature counts only if that version exists; the signature is
 * checked later. `api-version` in the query wins over the header x-ms-version, and the header wins over `sv`. Evidence:
 * documented (Versioning for Azure Storage); sdk (the header wins over `sv`).
 */
function namedVersion(headers: IncomingHttpHeaders, query: QueryOptions): string | undefined {
  const signed = query.get('sv');
  const header = headerOf(headers, 'x-ms-version');
  return query.get('api-version') ?? header ?? (isKnownVersion(signed) ? signed : undefined);
}

/** What the requests inside a batch inherit from it. */
type InheritedHeaders = Pick<NegotiatedHeaders, 'version' | 'isLoose' | 'dataServiceVersion'>;

/** Reads the headers of a request whose version is known. */
export function parseHeaders(
  headers: IncomingHttpHeaders,
  address: Address,
  { version, isLoose, dataServiceVersion: inherited }: InheritedHeaders,
): ParsedHeaders {
  const query = address.query.options;
  const dataServiceVersion = dataServiceVersionOf(headers) ?? inherited;
  return {
    query,
    version,
    format: negotiateFormat({
      accept: headers.accept,
      format: query.get('$format'),
      version,
      dataServiceVersion,
      isLoose,
    }),
    dataServiceVersion,
    isThirdProtocol: isThirdProtocol(dataServiceVersion, version),
    preference: parsePreference(headerOf(headers, 'prefer')),
    ifMatch: headers['if-match'] || undefined,
    ifNoneMatch: headers['if-none-match'] || undefined,
    accept: headers.accept,
    contentType: headers['content-type'],
    isExplained: headers['x-emulator-explain'] === 'true',
    isLoose,
    isFromPage: headers.origin !== undefined,
  };
}

export function formatOptions(
  headers: IncomingHttpHeaders,
  {
    dataServiceVersion: inherited,
    ...options
  }: Pick<FormatOptions, 'format' | 'version' | 'isLoose' | 'dataServiceVersion'>,
): FormatOptions {
  return { accept: headers.accept, dataServiceVersion: dataServiceVersionOf(headers) ?? inherited, ...options };
}

function dataServiceVersionOf(headers: IncomingHttpHeaders): string | undefined {
  return headerOf(headers, 'maxdataserviceversion') ?? headerOf(headers, 'dataserviceversion');
}

/** Reads Prefer. An unknown value is ignored. */
export function parsePreference(header: string | undefined): Preference | undefined {
  const value = header?.trim().toLowerCase();
  return value === 'return-content' || value === 'return-no-content' ? value : undefined;
}

/** The format of the response body. Throws the service's refusal of the format that was asked for. */
export function responseFormat({ format }: NegotiatedHeaders): PayloadFormat {
  if (format instanceof ServiceError) throw format;
  return format;
}

/** Evidence: recorded ($orderby is refused); the code and the other options are assumed. */
const unsupportedOptions = ['$orderby', '$skip', '$expand', '$inlinecount', '$skiptoken'];

/** Throws NotImplemented for options of OData that the service does not have. */
export function refuseUnsupported({ query, negotiated }: Pick<TableRequest, 'query' | 'negotiated'>): void {
  const unsupported = negotiated.isLoose ? undefined : unsupportedOptions.find((name) => query.has(name));
  if (unsupported !== undefined) {
    const why = [
      `The service has no ${unsupported}.`,
      'It has $filter, $select and $top; sort and count in the client.',
    ];
    throw new ServiceError('NotImplemented', { why });
  }
}

/**
 * Returns the format of the request's body, which Content-Type names. A web page can send a body without a preflight if
 * the body has no type or one of a few simple types. If the address has a signature, a page of any origin could write
 * in this way. Requests from pages must therefore use the service's own types, even with `isLoose`.
 */
export function bodyFormat({ contentType, version, isLoose, isFromPage }: NegotiatedHeaders): 'json' | 'atom' {
  return isLoose && !isFromPage ? looseRequestMedia(contentType, version) : parseRequestMedia(contentType, version);
}

/**
 * Returns how many milliseconds the request may take. The client sets the time in seconds with `timeout`. The maximum
 * is 30 seconds, even if the client asks for more. Evidence: recorded (5000 is accepted); assumed (the refusal of a
 * text that is not a number; 0 means that the client sets no limit).
 */
export function parseTimeoutMs({ query, isLoose }: Pick<ParsedHeaders, 'query' | 'isLoose'>): number {
  const text = query.get('timeout');
  if (text === undefined || text === '') return requestTimeoutMsMax;
  if (/^\d{1,9}$/.test(text)) return Math.min(Number(text) * 1000 || requestTimeoutMsMax, requestTimeoutMsMax);
  if (isLoose) return requestTimeoutMsMax;
  throw new ServiceError('InvalidQueryParameterValue', {
    stage: 'parse',
    why: `timeout is ${quote(text)}; it must be a number of seconds.`,
  });
}

/** Reads `$top`: 0 to 1000. Throws InvalidInput. Evidence: recorded; assumed (the text if it is not a number). */
export function parseTop({ query, negotiated }: Pick<TableRequest, 'query' | 'negotiated'>): number | undefined {
  const text = query.get('$top');
  if (text === undefined) return undefined;
  const isNumber = /^\d{1,9}$/.test(text);
  if (!isNumber || (Number(text) > pageEntitiesMax && !negotiated.isLoose)) {
    throw new ServiceError('InvalidInput', {
      why: [`$top is ${quote(text)}; it takes 0 to ${pageEntitiesMax}.`, 'Further pages follow by continuation.'],
    });
  }
  return Math.min(Number(text), pageEntitiesMax);
}
