import { errorCatalogue } from '../model/error-catalogue.ts';
import { ServiceError } from '../model/service-error.ts';
import { formatTicksFull, ticksFromMs } from '../model/ticks.ts';
import type { Clock } from '../model/time.ts';
import { type ErrorShape, renderErrorBody } from '../protocol/error-body.ts';
import type { HttpHeader } from '../protocol/http-headers.ts';
import { jsonContentType, type PayloadFormat } from '../protocol/payload-format.ts';
import { parseQueryOptions } from '../protocol/query-options.ts';
import { versionGates } from '../protocol/service-version.ts';
import { StoreUnavailable } from '../storage/store-unavailable.ts';
import type { Compatibility } from './compatibility.ts';
import { type HttpRequest, type HttpResponse, headerOf } from './http-message.ts';
import { type ErrorNegotiation, negotiateErrorHeaders, parsePreference } from './negotiated-headers.ts';
import type { RequestIds } from './request-ids.ts';
import { identityHeaders, serverNames } from './service-headers.ts';

interface Refusal {
  readonly response: HttpResponse;
  readonly error: ServiceError;
  /** Whether the emulator failed, rather than the request. */
  readonly isInternal: boolean;
}

interface Circumstances {
  readonly request: HttpRequest;
  readonly ids: RequestIds;
  readonly clock: Clock;
  readonly compatibility: Compatibility;
  /** Whether the refusal comes from an operation on the service itself, after authentication. */
  readonly isServiceLevel: boolean;
}

/**
 * Returns the response to a failure: the service's own message for a refusal, ServerBusy while the database cannot be
 * reached, and InternalError for any other failure.
 */
export function errorResponse(failure: unknown, circumstances: Circumstances): Refusal {
  const refusal = refusalOf(failure);
  const isInternal = refusal === undefined;
  const error = refusal ?? new ServiceError('InternalError');
  const negotiated = negotiate(circumstances);
  const response =
    circumstances.isServiceLevel || error.stage === 'frontEnd' || error.stage === 'route'
      ? frontEndResponse(error, negotiated, circumstances)
      : tableServiceResponse(error, negotiated, circumstances);
  return { response: withAdvice(closing(error, response), circumstances.compatibility), error, isInternal };
}

function refusalOf(failure: unknown): ServiceError | undefined {
  if (failure instanceof ServiceError) return failure;
  const isAway = failure instanceof StoreUnavailable && failure.reason === 'unreachable';
  return isAway ? new ServiceError('ServerBusy', { why: failure.message }) : undefined;
}

/** Closes the connection after the response if a body is too large, instead of reading the rest of the body. */
function closing({ code }: ServiceError, response: HttpResponse): HttpResponse {
  if (code !== 'RequestBodyTooLarge') return response;
  return { ...response, headers: [...response.headers, ['Connection', 'close']], isLast: true };
}

/** The service sends no Retry-After. Evidence: assumed. */
function withAdvice(response: HttpResponse, { retryAfterSeconds }: Compatibility): HttpResponse {
  if (response.status !== 503 || retryAfterSeconds === 0) return response;
  return { ...response, headers: [...response.headers, ['Retry-After', String(retryAfterSeconds)]] };
}

function negotiate({ request: { headers, url }, compatibility }: Circumstances): ErrorNegotiation {
  const { options } = parseQueryOptions(url.slice(url.indexOf('?') + 1 || url.length));
  return negotiateErrorHeaders(headers, options, compatibility);
}

interface Signature extends Pick<Circumstances, 'ids' | 'clock'> {
  /** Text in front of the message. */
  readonly prefix?: string;
}

function render(
  error: ServiceError,
  shape: ErrorShape,
  { ids, clock, prefix = '' }: Signature,
  version?: string,
): string {
  return renderErrorBody(shape, {
    code: error.code,
    message: prefix + messageOf(error, version),
    requestId: ids.requestId,
    time: formatTicksFull(ticksFromMs(clock.nowMs())),
  });
}

function messageOf(error: ServiceError, version: string | undefined): string {
  const gate = detailedSince[error.code as keyof typeof detailedSince];
  const isGeneric = gate !== undefined && version !== undefined && version < gate;
  return isGeneric ? errorCatalogue[error.code][1] : error.message;
}

/**
 * Before the version given here, each of these codes has only one message. Evidence: recorded, documented
 * (InvalidInput); documented (ServerBusy).
 */
const detailedSince = {
  InvalidInput: versionGates.detailedInputErrors,
  ServerBusy: versionGates.accountLimitErrors,
} as const;

/** The body of a refusal by the table service behind the front end, in the requested format. Evidence: recorded. */
export function refusalPayload(
  error: ServiceError,
  { format, version, ...signature }: Signature & { readonly format: PayloadFormat; readonly version: string },
): { contentType: string; body: string } {
  const isJson = format.kind === 'json';
  return {
    contentType: isJson ? jsonContentType(format.level) : 'application/xml;charset=utf-8',
    body: render(error, isJson ? 'json' : 'xml', signature, version),
  };
}

/** Evidence: recorded (headers, their absence, and the shape of the body). */
function tableServiceResponse(
  error: ServiceError,
  { format, version }: ErrorNegotiation,
  circumstances: Circumstances,
): HttpResponse {
  const { request, ids, clock } = circumstances;
  const payload = refusalPayload(error, { format, version, ids, clock });
  const headers: HttpHeader[] = error.stage === 'execute' ? [['Cache-Control', 'no-cache']] : [];
  headers.push(['Transfer-Encoding', 'chunked']);
  headers.push(['Content-Type', payload.contentType]);
  const preference = parsePreference(headerOf(request.headers, 'prefer'));
  if (preference !== undefined && error.stage === 'execute' && request.method === 'POST') {
    headers.push(['Preference-Applied', preference]);
  }
  headers.push(['Server', serverNames.service], ...identityHeaders(ids, version));
  headers.push(['X-Content-Type-Options', 'nosniff']);
  return { status: error.status, headers, body: Buffer.from(payload.body) };
}

/**
 * Returns the response to a refusal by the front end. Evidence: recorded (XML, headers); sdk (azure-sdk-for-net issue
 * 21472: JSON).
 */
function frontEndResponse(
  error: ServiceError,
  { format, namedVersion: version }: ErrorNegotiation,
  circumstances: Circumstances,
): HttpResponse {
  const { isServiceLevel } = circumstances;
  const isPreflight = circumstances.request.method === 'OPTIONS';
  const shape = isPreflight || isServiceLevel ? 'prefixed-xml' : frontEndErrorShape(error, format, version);
  const body = Buffer.from(render(error, shape, circumstances, version));
  const isChallenge = error.status === 401;
  const isService = isChallenge || isServiceLevel || error.stage === 'route';
  const headers: HttpHeader[] = [['Content-Length', String(body.length)]];
  headers.push(['Content-Type', shape === 'json' ? 'application/json' : 'application/xml']);
  headers.push(['Server', isService ? serverNames.service : serverNames.frontEnd]);
  headers.push(...identityHeaders(circumstances.ids, isService ? version : undefined));
  // The refusal of a version that does not exist lacks the header x-ms-error-code. Evidence: recorded.
  const namesCode = (isServiceLevel || error.stage === 'frontEnd') && !isUnknownVersion(error);
  if (namesCode) headers.push(['x-ms-error-code', error.code]);
  if (isChallenge) headers.push(['WWW-Authenticate', challengeOf(error)]);
  const response = { status: error.status, headers, body };
  return namesCode ? { ...response, reason: messageOf(error, version) } : response;
}

function frontEndErrorShape(error: ServiceError, format: PayloadFormat, version: string | undefined): ErrorShape {
  if (isUnknownVersion(error) || version === undefined) return 'oldest-xml';
  return format.kind === 'json' ? 'json' : 'prefixed-xml';
}

/** An id that no directory has. */
const unknownTenant = '00000000-0000-0000-0000-000000000000';

/** Evidence: recorded (its form). */
const challengeOf = ({ tenant = unknownTenant }: ServiceError): string =>
  `Bearer authorization_uri=https://login.microsoftonline.com/${tenant}/oauth2/authorize resource_id=https://storage.azure.com`;

function isUnknownVersion({ code, message }: ServiceError): boolean {
  return code === 'InvalidHeaderValue' && message === errorCatalogue.InvalidHeaderValue[1];
}
