import type { HttpHeader, HttpHeaders } from '../protocol/http-headers.ts';
import { versionGates } from '../protocol/service-version.ts';
import type { RequestIds } from './request-ids.ts';

/** Names of the two servers that answer clients: the table service, and the front end in front of it. */
export const serverNames = {
  service: 'Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0',
  frontEnd: 'Microsoft-HTTPAPI/2.0',
} as const;

/** The identifying headers, in the recorded order. Evidence: recorded. */
export function identityHeaders({ requestId, clientRequestId }: RequestIds, version: string | undefined): HttpHeaders {
  const headers: HttpHeader[] = [['x-ms-request-id', requestId]];
  if (clientRequestId !== undefined) headers.push(['x-ms-client-request-id', clientRequestId]);
  if (version !== undefined && version >= versionGates.versionEcho) headers.push(['x-ms-version', version]);
  return headers;
}

/** A body is sent in chunks; a response without one has a length of 0. Evidence: recorded. */
export function lengthHeader(body: string | Buffer | undefined): HttpHeader {
  return body === undefined ? noLength : chunked;
}

const noLength: HttpHeader = ['Content-Length', '0'];
const chunked: HttpHeader = ['Transfer-Encoding', 'chunked'];
