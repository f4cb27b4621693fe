// The refusals of the issuer, with the wording and the error numbers of Entra.
// Evidence: documented (Microsoft Entra authentication & authorization error codes; OAuth 2.0 client credentials flow)

import { randomUUID } from 'node:crypto';
import { escapeControls, quote } from '../model/printable-text.ts';

interface KindOfRefusal {
  readonly status: 400 | 401 | 413;
  /** An error code of RFC 6749. */
  readonly error: string;
}

/** The kinds of refusals, by the number in `error_codes`. */
const kinds = {
  28000: { status: 400, error: 'invalid_scope' },
  50027: { status: 401, error: 'invalid_client' },
  70003: { status: 400, error: 'unsupported_grant_type' },
  70011: { status: 400, error: 'invalid_scope' },
  70021: { status: 400, error: 'invalid_request' },
  90002: { status: 400, error: 'invalid_request' },
  90014: { status: 400, error: 'invalid_request' },
  700016: { status: 400, error: 'unauthorized_client' },
  700021: { status: 401, error: 'invalid_client' },
  700023: { status: 401, error: 'invalid_client' },
  700024: { status: 401, error: 'invalid_client' },
  700027: { status: 401, error: 'invalid_client' },
  900144: { status: 400, error: 'invalid_request' },
  900201: { status: 400, error: 'invalid_request' },
  1002012: { status: 400, error: 'invalid_scope' },
  7000215: { status: 401, error: 'invalid_client' },
  7000218: { status: 401, error: 'invalid_client' },
  9000411: { status: 400, error: 'invalid_request' },
} as const satisfies Readonly<Record<number, KindOfRefusal>>;

/** A token is refused. The message says why in one line, and does not repeat secrets. */
export class GrantRefusal extends Error {
  readonly code: keyof typeof kinds;

  constructor(code: keyof typeof kinds, message: string) {
    super(message);
    this.name = 'GrantRefusal';
    this.code = code;
  }

  get status(): number {
    return kinds[this.code].status;
  }
}

/** The body of a refusal. */
export interface EntraError {
  readonly error: string;
  readonly error_description: string;
  readonly error_codes: readonly number[];
  readonly timestamp: string;
  readonly trace_id: string;
  readonly correlation_id: string;
}

export function entraErrorOf({ code, message }: GrantRefusal, nowMs: number): EntraError {
  const traceId = randomUUID();
  const correlationId = randomUUID();
  const timestamp = new Date(nowMs)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z');
  return {
    error: kinds[code].error,
    error_description: `AADSTS${code}: ${message} Trace ID: ${traceId} Correlation ID: ${correlationId} Timestamp: ${timestamp}`,
    error_codes: [code],
    timestamp,
    trace_id: traceId,
    correlation_id: correlationId,
  };
}

/** A client's text for a message: the middle of a long text is left out, and control characters are escaped. */
export const shownInError = (text: string): string => escapeControls(quote(text));
