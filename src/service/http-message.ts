import type { IncomingHttpHeaders } from 'node:http';

/** A request as it came over the wire. */
export interface HttpRequest {
  readonly method: string;
  /** The request target, untouched. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Whether it came by https. */
  readonly isSecure: boolean;
  /** Of the other end of the socket. */
  readonly remoteAddress: string;
  /** Reads the whole body. Throws RequestBodyTooLarge, and ClientGone. */
  readBody(): Promise<Buffer>;
  /** Whether the client has hung up: nobody waits for the answer any more. */
  readonly isAbandoned: () => boolean;
}

/** What goes back. `headers` alternates names and values, in the order they are sent. */
export interface HttpResponse {
  readonly status: number;
  readonly reason?: string;
  readonly headers: readonly string[];
  /** Text must be ASCII, as JSON answers are: it goes out a byte a character. */
  readonly body?: string | Buffer;
  /** The connection is closed after it, as its headers say, however much of the request is still to come. */
  readonly isLast?: boolean;
}

/** The value of a header that may come only once; of a repeated one, the first. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
