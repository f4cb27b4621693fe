import type { HttpHeader } from '../protocol/http-headers.ts';
import type { HttpResponse } from './http-message.ts';
import type { NegotiatedHeaders } from './negotiated-headers.ts';
import type { Operation, OperationResult } from './operation.ts';
import type { RequestIds } from './request-ids.ts';
import { serverTimingOf } from './server-timing.ts';
import { identityHeaders, lengthHeader, serverNames } from './service-headers.ts';

/** Adds the headers that all responses share. Evidence: recorded (headers and their order). */
export function successResponse(
  result: OperationResult,
  { operation, negotiated, ids }: { operation: Operation; negotiated: NegotiatedHeaders; ids: RequestIds },
): HttpResponse {
  if (operation.isServiceLevel) return serviceLevelResponse(result, { negotiated, ids });
  const { status, headers, contentType, body, report } = result;
  const all: HttpHeader[] = [noCache, lengthHeader(body)];
  if (contentType !== undefined) all.push(['Content-Type', contentType]);
  if (headers !== undefined) all.push(...headers);
  // A write with a payload echoes the preference, but a delete never does. Evidence: recorded.
  const echoesPreference = operation.takesBody && !operation.ignoresPreference;
  if (negotiated.preference !== undefined && echoesPreference) all.push(['Preference-Applied', negotiated.preference]);
  all.push(server, ...identityHeaders(ids, negotiated.version), noSniff);
  if (report !== undefined && negotiated.isExplained) all.push(['Server-Timing', serverTimingOf(report)]);
  return body === undefined ? { status, headers: all } : { status, headers: all, body };
}

/** The response has neither Cache-Control nor nosniff. Evidence: recorded. */
function serviceLevelResponse(
  { status, contentType, body }: OperationResult,
  { negotiated, ids }: { negotiated: NegotiatedHeaders; ids: RequestIds },
): HttpResponse {
  const all: HttpHeader[] = [lengthHeader(body)];
  if (contentType !== undefined) all.push(['Content-Type', contentType]);
  all.push(server, ...identityHeaders(ids, negotiated.version));
  return body === undefined ? { status, headers: all } : { status, headers: all, body };
}

const noCache: HttpHeader = ['Cache-Control', 'no-cache'];
const noSniff: HttpHeader = ['X-Content-Type-Options', 'nosniff'];
const server: HttpHeader = ['Server', serverNames.service];
