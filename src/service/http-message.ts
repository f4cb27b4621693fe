import type { IncomingHttpHeaders } from 'node:http';
import type { Cancel } from '../model/time.ts';
import type { HttpHeaders } from '../protocol/http-headers.ts';

/** A request as it arrived over the wire. */
export interface HttpRequest {
  readonly method: string;
  /** The request target as sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Whether the request has more than one Authorization header. `headers` has only the first. */
  readonly repeatsAuthorization?: () => boolean;
  /** Whether the request came over HTTPS. */
  readonly isSecure: boolean;
  /** Address of the other end of the socket. */
  readonly remoteAddress: string;
  /** Number of the connection. */
  readonly connection: number;
  /** Connections that are open. */
  readonly connectionsOpen: number;
  /** Reads the entire body. Rejects with RequestBodyTooLarge, MissingContentLengthHeader and ClientDisconnected. */
  readBody(): Promise<Buffer>;
  /**
   * Reads and discards the rest of the body. While the body has unread bytes, Node does not report that the client has
   * disconnected.
   */
  discardBody(): void;
  /** Whether the client has disconnected. Cheap: may be called often. */
  readonly isAbandoned: () => boolean;
  /**
   * Runs the listener once, when the client has disconnected or the server closes. If either has already happened, runs
   * the listener in the next turn of the event loop.
   */
  readonly whenOver: (listener: () => void) => Cancel;
}

/** A response. */
export interface HttpResponse {
  readonly status: number;
  /** Reason phrase; by default the standard one of the status. */
  readonly reason?: string;
  readonly headers: HttpHeaders;
  /** Text must be ASCII, as JSON responses are: each character is sent as one byte. */
  readonly body?: string | Buffer;
  /**
   * If true, the response has the header `Connection: close`, and the connection is closed after the response, even if
   * the request is incomplete.
   */
  readonly isLast?: boolean;
}

/** The connection is closed without a response. */
export interface HangUp {
  readonly kind: 'hangUp';
}

/** The connection is reset (TCP RST) without a response. */
export interface Reset {
  readonly kind: 'reset';
}

/** The head of a response and the first bytes of its body are sent, then the connection is closed. */
export interface Cut {
  readonly kind: 'cut';
  readonly response: HttpResponse;
  /** The number of bytes of the body that are sent. 0: only the head is sent. */
  readonly afterBytes: number;
  /** Whether the connection is reset instead of closed. */
  readonly isReset?: boolean;
}

/** The head of a response is sent, then its body slowly. */
export interface Drip {
  readonly kind: 'drip';
  readonly response: HttpResponse;
  /** 0: nothing of the body is sent, and the connection stays open until the client gives up. */
  readonly bytesPerSecond: number;
  /** Runs the listener when the client has disconnected or the server closes. */
  readonly whenOver: HttpRequest['whenOver'];
  /** Runs once, when everything is sent or the connection is closed. */
  readonly onEnd?: () => void;
}

/** How a request ends on the socket. */
export type Delivery = HttpResponse | HangUp | Reset | Cut | Drip;

export const hangUp: HangUp = Object.freeze({ kind: 'hangUp' });
export const connectionReset: Reset = Object.freeze({ kind: 'reset' });

/** The response that a delivery sends, completely or in part; undefined if it closes the connection. */
export function responseOf(delivery: Delivery): HttpResponse | undefined {
  if (!('kind' in delivery)) return delivery;
  return 'response' in delivery ? delivery.response : undefined;
}

/** The value of a header that may occur only once; the first if it is repeated. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
