import type { Clock } from '../model/clock.ts';
import { errorCatalogue } from '../model/error-catalogue.ts';
import { ServiceError } from '../model/service-error.ts';
import { formatTicksFull, ticksFromMs } from '../model/ticks.ts';
import { type ErrorShape, renderErrorBody } from '../protocol/error-body.ts';
import { jsonContentType, type PayloadFormat } from '../protocol/payload-format.ts';
import { parseQueryOptions } from '../protocol/query-options.ts';
import { versionGates } from '../protocol/service-version.ts';
import type { Compatibility } from './compatibility.ts';
import { type HttpRequest, type HttpResponse, headerOf } from './http-message.ts';
import { type ErrorNegotiation, negotiateErrorHeaders, parsePreference } from './negotiated-headers.ts';
import type { RequestIds } from './request-ids.ts';
import { identityHeaders, serverNames } from './service-headers.ts';

interface Refusal {
  readonly answer: HttpResponse;
  readonly error: ServiceError;
  /** Nothing the client sent is to blame. */
  readonly isInternal: boolean;
}

interface Circumstances {
  readonly call: HttpRequest;
  readonly ids: RequestIds;
  readonly clock: Clock;
  readonly compatibility: Compatibility;
  /** Whether an operation on the service itself refused, once the caller was known. */
  readonly isServiceLevel: boolean;
}

/** The answer that a failure deserves: the service's own words for a refusal, InternalError for anything else. */
export function errorResponse(failure: unknown, circumstances: Circumstances): Refusal {
  const isInternal = !(failure instanceof ServiceError);
  const error = isInternal ? new ServiceError('InternalError') : failure;
  const negotiated = negotiate(circumstances);
  const answer =
    circumstances.isServiceLevel || error.stage === 'frontEnd' || error.stage === 'route'
      ? frontEndResponse(error, negotiated, circumstances)
      : tableServiceResponse(error, negotiated, circumstances);
  return { answer: withAdvice(lastWhere(error, answer), circumstances.compatibility), error, isInternal };
}

/** Nobody waits for the end of a body that is too large. */
function lastWhere({ code }: ServiceError, answer: HttpResponse): HttpResponse {
  if (code !== 'RequestBodyTooLarge') return answer;
  return { ...answer, headers: [...answer.headers, 'Connection', 'close'], isLast: true };
}

/** The service sends none. Evidence: assumed. */
function withAdvice(answer: HttpResponse, { retryAfterSeconds }: Compatibility): HttpResponse {
  if (answer.status !== 503 || retryAfterSeconds === 0) return answer;
  return { ...answer, headers: [...answer.headers, 'Retry-After', String(retryAfterSeconds)] };
}

function negotiate({ call: { headers, url }, compatibility }: Circumstances): ErrorNegotiation {
  const { options } = parseQueryOptions(url.slice(url.indexOf('?') + 1 || url.length));
  return negotiateErrorHeaders(headers, options, compatibility);
}

interface Signature extends Pick<Circumstances, 'ids' | 'clock'> {
  /** Stands before the message. */
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

/** Before these versions the codes have one text each. Evidence: recorded, documented (InvalidInput); documented (ServerBusy). */
const detailedSince = {
  InvalidInput: versionGates.detailedInputErrors,
  ServerBusy: versionGates.accountLimitErrors,
} as const;

/** The body of a refusal by the service proper, in the format that was wished. Evidence: recorded. */
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
  const { call, ids, clock } = circumstances;
  const payload = refusalPayload(error, { format, version, ids, clock });
  const headers: string[] = error.stage === 'execute' ? ['Cache-Control', 'no-cache'] : [];
  headers.push('Transfer-Encoding', 'chunked');
  headers.push('Content-Type', payload.contentType);
  const preference = parsePreference(headerOf(call.headers, 'prefer'));
  if (preference !== undefined && error.stage === 'execute' && call.method === 'POST') {
    headers.push('Preference-Applied', preference);
  }
  headers.push('Server', serverNames.service, ...identityHeaders(ids, version));
  headers.push('X-Content-Type-Options', 'nosniff');
  return { status: error.status, headers, body: Buffer.from(payload.body) };
}

/** Evidence: recorded; auth.md §9, errors.md §1. */
function frontEndResponse(
  error: ServiceError,
  { format, namedVersion: version }: ErrorNegotiation,
  circumstances: Circumstances,
): HttpResponse {
  const { isServiceLevel } = circumstances;
  const isPreflight = circumstances.call.method === 'OPTIONS';
  const shape = isPreflight || isServiceLevel ? 'prefixed-xml' : frontEndErrorShape(error, format, version);
  const body = Buffer.from(render(error, shape, circumstances, version));
  const isAnonymousTold = error.code === 'NoAuthenticationInformation';
  const isService = isAnonymousTold || isServiceLevel || error.stage === 'route';
  const headers = ['Content-Length', String(body.length)];
  headers.push('Content-Type', shape === 'json' ? 'application/json' : 'application/xml');
  headers.push('Server', isService ? serverNames.service : serverNames.frontEnd);
  headers.push(...identityHeaders(circumstances.ids, isService ? version : undefined));
  // A version that does not exist is refused without the header. Evidence: recorded.
  const namesCode = (isServiceLevel || error.stage === 'frontEnd') && !isUnknownVersion(error);
  if (namesCode) headers.push('x-ms-error-code', error.code);
  if (isAnonymousTold) headers.push('WWW-Authenticate', challenge);
  const answer = { status: error.status, headers, body };
  return namesCode ? { ...answer, reason: messageOf(error, version) } : answer;
}

function frontEndErrorShape(error: ServiceError, format: PayloadFormat, version: string | undefined): ErrorShape {
  if (isUnknownVersion(error) || version === undefined) return 'oldest-xml';
  return format.kind === 'json' ? 'json' : 'prefixed-xml';
}

/** Evidence: recorded (its form); the tenant is one that no directory has. */
const challenge =
  'Bearer authorization_uri=https://login.microsoftonline.com/00000000-0000-0000-0000-000000000000/oauth2/authorize resource_id=https://storage.azure.com';

function isUnknownVersion({ code, message }: ServiceError): boolean {
  return code === 'InvalidHeaderValue' && message === errorCatalogue.InvalidHeaderValue[1];
}
