// Renders requests of the list as an HTTP archive (HAR 1.2). Developer tools of browsers can read such archives, and so
// can proxies. Neither the list nor the archive contains bodies or secrets. Names that HAR's specification does not
// define must begin with an underscore.

import type { LiveRequest } from '../../../control/observe/live-request.ts';

export interface HarOptions {
  /** The origin of the emulator: `http://127.0.0.1:10002`. */
  readonly origin: string;
  /** The version of the emulator. */
  readonly version: string;
}

/** The archive as an object. Requests in the order of their arrival. */
export function archiveOf(requests: readonly LiveRequest[], { origin, version }: HarOptions): object {
  const entries = [...requests].sort((a, b) => a.atMs - b.atMs).map((request) => entryOf(request, origin));
  return { log: { version: '1.2', creator: { name: 'Tanzanite', version }, entries } };
}

function entryOf(request: LiveRequest, origin: string): object {
  const { atMs, durationMs, remoteAddress, connection } = request;
  const waited = request.waitedMs ?? 0;
  return {
    startedDateTime: new Date(atMs).toISOString(),
    time: durationMs,
    request: requestOf(request, origin),
    response: responseOf(request),
    cache: {},
    // The emulator cannot measure times on the network, so these are 0.
    timings: { blocked: waited, send: 0, wait: Math.max(0, durationMs - waited), receive: 0 },
    connection: String(connection),
    _remoteAddress: remoteAddress,
    ...ownMembers(request),
  };
}

function requestOf({ method, url, requestHeaders, bytesIn }: LiveRequest, origin: string): object {
  const address = new URL(url, origin);
  const type = headerOf(requestHeaders, 'content-type');
  return {
    method,
    url: address.href,
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: pairsOf(requestHeaders),
    queryString: [...address.searchParams].map(([name, value]) => ({ name, value })),
    ...(bytesIn > 0 ? { postData: { mimeType: type ?? '', text: '', comment: 'The emulator keeps no bodies.' } } : {}),
    headersSize: -1,
    bodySize: bytesIn,
  };
}

function responseOf({ status, responseHeaders, bytesOut, code = '' }: LiveRequest): object {
  return {
    status,
    statusText: code,
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: pairsOf(responseHeaders),
    content: { size: bytesOut, mimeType: headerOf(responseHeaders, 'content-type') ?? 'x-unknown' },
    redirectURL: '',
    headersSize: -1,
    bodySize: bytesOut,
  };
}

function ownMembers(request: LiveRequest): object {
  const { operation, account, table, partitionKey, rowKey, filter, plan, visited, returned, pageEnd, units } = request;
  const { capacity, beyond, code, message, why, credential, principal, members, clientRequestId, traceId } = request;
  const own = { operation, account, table, partitionKey, rowKey, filter, plan, visited, returned, pageEnd, units };
  const all = {
    ...own,
    capacity,
    beyond,
    code,
    message,
    why,
    credential,
    principal,
    members,
    clientRequestId,
    traceId,
  };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[`_${name}`, value]])),
  );
}

type Headers = LiveRequest['requestHeaders'];

const pairsOf = (headers: Headers): object[] => headers.map(([name, value]) => ({ name, value }));

const headerOf = (headers: Headers, wanted: string): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
