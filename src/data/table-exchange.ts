// A request to a Table endpoint and its response, independent of the transport.

export interface EndpointRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the endpoint, percent-encoded: `People()` */
  readonly path: string;
  /** Query options, not encoded. An option with an absent value is left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, unless the headers name another Content-Type. */
  readonly body?: string;
  /** A longer response body is refused. Default 64 MiB. */
  readonly responseBytesMax?: number;
}

export interface EndpointResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** Headers that ask for JSON, in the newest version in which all requests of this module have the same meaning. */
export const formatHeaders = {
  Accept: 'application/json;odata=minimalmetadata',
  DataServiceVersion: '3.0',
  MaxDataServiceVersion: '3.0',
  'x-ms-version': '2019-02-02',
} as const;

/** How long the service asks to wait, if it does. */
export function retryAfterMs(headers: EndpointResponse['headers']): number | undefined {
  const seconds = headers['retry-after'];
  return typeof seconds === 'string' && /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1000 : undefined;
}
