// One request to a Table endpoint: signed, sent, and sent again while the service is busy.

import { createHmac } from 'node:crypto';
import manifest from '../../package.json' with { type: 'json' };
import { sharedKeyLiteText } from '../auth/shared-key.ts';
import { commandAgentPrefix } from '../model/request-record.ts';
import type { ModelTime } from '../model/time.ts';
import { networkReason, openExchange, readText } from './http-exchange.ts';
import type { TableEndpoint } from './table-endpoint.ts';
import { type EndpointRequest, type EndpointResponse, formatHeaders, retryAfterMs } from './table-exchange.ts';

/** There was no response. The message is the reason, such as `connect ECONNREFUSED 127.0.0.1:10002`. */
export class Unreachable extends Error {}

const responseTimeoutMs = 60_000;
/** A page of the service has at most 4 MiB. */
const defaultResponseBytesMax = 64 * 1_048_576;

/** Pauses before a request is repeated, if the service does not say how long to wait. */
const pausesMs = [1_000, 2_000, 4_000] as const;
/** The longest pause, even if the service asks for a longer one. */
export const pauseMsMax = 30_000;

/**
 * Sends a request. While the status is 503, sends the request again, up to three times. Returns the last response,
 * whatever its status. Throws Unreachable.
 */
export async function sendRequest(
  request: EndpointRequest,
  endpoint: TableEndpoint,
  time: Pick<ModelTime, 'nowMs' | 'after'>,
): Promise<EndpointResponse> {
  for (const pauseMs of pausesMs) {
    const response = await sendOnce(request, endpoint, time);
    if (response.status !== 503) return response;
    const delayMs = Math.min(retryAfterMs(response.headers) ?? pauseMs, pauseMsMax);
    await new Promise<void>((resolve) => time.after(delayMs, resolve));
  }
  return sendOnce(request, endpoint, time);
}

/** Sends the request once. Returns the response, whatever its status. Throws Unreachable. */
export async function sendOnce(
  request: EndpointRequest,
  endpoint: TableEndpoint,
  time: Pick<ModelTime, 'nowMs'>,
): Promise<EndpointResponse> {
  const url = addressOf(request, endpoint);
  const options = {
    method: request.method,
    headers: headersOf(request, endpoint, { url, date: new Date(time.nowMs()).toUTCString() }),
    signal: AbortSignal.timeout(responseTimeoutMs),
    rejectUnauthorized: !endpoint.isInsecure,
    body: request.body,
  };
  try {
    const response = await openExchange(url, options);
    const body = await readText(response, request.responseBytesMax ?? defaultResponseBytesMax);
    return { status: response.statusCode ?? 0, headers: response.headers, body };
  } catch (error) {
    throw new Unreachable(networkReason(error), { cause: error });
  }
}

function addressOf({ path, query = {} }: EndpointRequest, { url, credential }: TableEndpoint): URL {
  const options = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  if (credential.kind === 'signature') options.push(credential.query);
  return new URL(`${url}/${path}${options.length === 0 ? '' : `?${options.join('&')}`}`);
}

function headersOf(
  { headers, body, query }: EndpointRequest,
  { credential }: TableEndpoint,
  { url, date }: { readonly url: URL; readonly date: string },
): Record<string, string> {
  return {
    ...formatHeaders,
    'User-Agent': `${commandAgentPrefix}${manifest.version}`,
    'x-ms-date': date,
    ...(body === undefined
      ? {}
      : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }),
    ...headers,
    ...(credential.kind === 'key'
      ? { Authorization: authorizationOf(credential, { pathname: url.pathname, comp: query?.['comp'] }, date) }
      : {}),
  };
}

interface Key {
  readonly account: string;
  readonly key: string;
}

interface SignedAddress {
  readonly pathname: string;
  readonly comp: string | undefined;
}

function authorizationOf({ account, key }: Key, { pathname, comp }: SignedAddress, date: string): string {
  const parts = { method: '', contentMd5: '', contentType: '', account, wirePath: pathname, comp };
  const hmac = createHmac('sha256', Buffer.from(key, 'base64'));
  return `SharedKeyLite ${account}:${hmac.update(sharedKeyLiteText(parts, date), 'utf8').digest('base64')}`;
}
