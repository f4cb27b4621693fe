import type { IncomingHttpHeaders } from 'node:http';
import type { Grant } from '../auth/grant.ts';
import type { Clock } from '../model/clock.ts';
import { pageEntitiesMax, requestTimeoutMsMax } from '../model/limits.ts';
import type { RequestRecord } from '../model/request-record.ts';
import { ServiceError } from '../model/service-error.ts';
import type { Address, Resource } from '../protocol/address.ts';
import { type FormatWishes, isThirdProtocol, negotiateFormat, type PayloadFormat } from '../protocol/payload-format.ts';
import { parseQueryOptions, type QueryOptions } from '../protocol/query-options.ts';
import { looseRequestMedia, parseRequestMedia } from '../protocol/request-media.ts';
import { isKnownVersion, parseServiceVersion } from '../protocol/service-version.ts';
import type { Compatibility } from './compatibility.ts';
import { headerOf } from './http-message.ts';

/** What a request asks for beside its address and body. */
export interface NegotiatedHeaders {
  readonly version: string;
  readonly format: PayloadFormat | ServiceError;
  /** Whether version 3.0 of the data service protocol is spoken. */
  readonly isThirdProtocol: boolean;
  readonly preference: Preference | undefined;
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly accept: string | undefined;
  readonly contentType: string | undefined;
  /** Whether the answer to a query is to say how it was carried out; the emulator's own. */
  readonly isExplained: boolean;
  /** See Manners. */
  readonly isLoose: boolean;
}

export type Preference = 'return-content' | 'return-no-content';

export type ResourceKind = Resource['kind'];

/** The resources of one kind, or of several. */
export type ResourceOf<Kind extends ResourceKind> = Extract<Resource, { readonly kind: Kind }>;

/** A request with everything read but its payload: what decoding and encoding work on. `Named` is what its address names. */
export interface TableRequest<Named extends Resource = Resource> {
  readonly address: Address & { readonly resource: Named };
  readonly query: QueryOptions;
  readonly negotiated: NegotiatedHeaders;
  readonly body: Buffer;
  readonly record: RequestRecord;
  readonly clock: Clock;
  /** What the caller may do. */
  readonly grant: Grant;
}

export interface ParsedHeaders extends NegotiatedHeaders {
  readonly query: QueryOptions;
  readonly isQueryReadable: boolean;
  readonly isQueryRepetitive: boolean;
}

/** Throws InvalidHeaderValue for a version that the service does not have. */
export function negotiateHeaders(
  headers: IncomingHttpHeaders,
  address: Address,
  compatibility: Compatibility,
): ParsedHeaders {
  const version = parseServiceVersion(versionAsked(headers, address.wireQuery), compatibility.versions);
  return parseHeaders(headers, address, { version, isLoose: compatibility.isLoose });
}

/**
 * The version asked for: `api-version` of the query, else the header, else that of a signature, where it is one: what a
 * caller who is not known yet says there is judged later. Evidence: documented; sdk (the header wins over `sv`).
 */
export function versionAsked(headers: IncomingHttpHeaders, wireQuery: string): string | undefined {
  const header = headerOf(headers, 'x-ms-version');
  if (!/(?:^|&)(?:api-version|sv)=/.test(wireQuery)) return header;
  const { options } = parseQueryOptions(wireQuery);
  const signed = options.get('sv');
  return options.get('api-version') ?? header ?? (isKnownVersion(signed) ? signed : undefined);
}

/** The terms of a request whose version is known: one inside a batch has that of the batch. */
export function parseHeaders(
  headers: IncomingHttpHeaders,
  address: Address,
  { version, isLoose }: Pick<NegotiatedHeaders, 'version' | 'isLoose'>,
): ParsedHeaders {
  const { options: query, isReadable, isRepetitive } = parseQueryOptions(address.wireQuery);
  return {
    query,
    isQueryReadable: isReadable,
    isQueryRepetitive: isRepetitive,
    version,
    format: negotiateFormat(formatWishes(headers, { format: query.get('$format'), version, isLoose })),
    isThirdProtocol: isThirdProtocol(dataServiceVersionOf(headers), version),
    preference: parsePreference(headerOf(headers, 'prefer')),
    ifMatch: headers['if-match'] || undefined,
    ifNoneMatch: headers['if-none-match'] || undefined,
    accept: headers.accept,
    contentType: headers['content-type'],
    isExplained: headers['x-emulator-explain'] === 'true',
    isLoose,
  };
}

export function formatWishes(
  headers: IncomingHttpHeaders,
  { format, version, isLoose }: Pick<FormatWishes, 'format' | 'version'> & { isLoose: boolean },
): FormatWishes {
  return { accept: headers.accept, format, version, isLoose, dataServiceVersion: dataServiceVersionOf(headers) };
}

function dataServiceVersionOf(headers: IncomingHttpHeaders): string | undefined {
  return headerOf(headers, 'maxdataserviceversion') ?? headerOf(headers, 'dataserviceversion');
}

/** Reads Prefer; what the service does not know is no preference. */
export function parsePreference(header: string | undefined): Preference | undefined {
  const value = header?.trim().toLowerCase();
  return value === 'return-content' || value === 'return-no-content' ? value : undefined;
}

/** The format of the answer; throws where the wished one is refused by the service. */
export function answerFormat({ format }: NegotiatedHeaders): PayloadFormat {
  if (format instanceof ServiceError) throw format;
  return format;
}

/** Evidence: recorded ($orderby is refused); code, and the other options, are assumed. */
const unsupportedOptions = ['$orderby', '$skip', '$expand', '$inlinecount', '$skiptoken'];

/** Refuses the options of OData that the service does not have. */
export function refuseUnsupported({ query, negotiated }: Pick<TableRequest, 'query' | 'negotiated'>): void {
  if (!negotiated.isLoose && unsupportedOptions.some((name) => query.has(name)))
    throw new ServiceError('NotImplemented');
}

/** The format of the request's body, by its Content-Type. */
export function bodyFormat({ contentType, version, isLoose }: NegotiatedHeaders): 'json' | 'atom' {
  return isLoose ? looseRequestMedia(contentType, version) : parseRequestMedia(contentType, version);
}

/**
 * How long the request may take, by `timeout` in seconds: 30 at most, however many are asked for. Evidence: recorded
 * (5000 is taken); the refusal, and that 0 is no wish, are assumed.
 */
export function parseTimeoutMs({ query, isLoose }: Pick<ParsedHeaders, 'query' | 'isLoose'>): number {
  const text = query.get('timeout');
  if (text === undefined || text === '') return requestTimeoutMsMax;
  if (/^\d{1,9}$/.test(text)) return Math.min(Number(text) * 1000 || requestTimeoutMsMax, requestTimeoutMsMax);
  if (isLoose) return requestTimeoutMsMax;
  throw new ServiceError('InvalidQueryParameterValue', { stage: 'parse' });
}

/** Reads `$top`: 0 to 1000. Evidence: recorded; the text for what is no number is assumed. */
export function parseTop({ query, negotiated }: Pick<TableRequest, 'query' | 'negotiated'>): number | undefined {
  const text = query.get('$top');
  if (text === undefined) return undefined;
  const isNumber = /^\d{1,9}$/.test(text);
  if (!isNumber || (Number(text) > pageEntitiesMax && !negotiated.isLoose)) throw new ServiceError('InvalidInput');
  return Math.min(Number(text), pageEntitiesMax);
}
