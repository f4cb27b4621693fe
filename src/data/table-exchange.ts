// A request to a Table endpoint and its response, whatever carries them.

export interface EndpointRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the endpoint, percent-encoded: `People()` */
  readonly path: string;
  /** Options with their values as they are; an absent value leaves the option out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, where the headers name no other Content-Type. */
  readonly body?: string;
  /** A longer body of a response is refused. Default 64 MiB. */
  readonly responseBytesMax?: number;
}

export interface EndpointResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** For JSON, in the newest version that all requests of this module mean the same in. */
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
