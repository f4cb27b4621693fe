import type { Answer, Call } from './call.ts';
import type { Envelope } from './envelope.ts';
import type { Reply } from './operation.ts';
import type { Terms } from './request-terms.ts';
import { identityHeaders, lengthHeaders, serverNames } from './service-headers.ts';

/** Adds what all answers share. Evidence: recorded (headers and their order). */
export function successAnswer(
  { status, headers, contentType, body }: Reply,
  { call, terms, envelope }: { call: Call; terms: Terms; envelope: Envelope },
): Answer {
  const all = ['Cache-Control', 'no-cache', ...lengthHeaders(body)];
  if (contentType !== undefined) all.push('Content-Type', contentType);
  if (headers !== undefined) for (const text of headers) all.push(text);
  if (terms.preference !== undefined && preferenceVerbs.has(call.method)) {
    all.push('Preference-Applied', terms.preference);
  }
  all.push('Server', serverNames.service, ...identityHeaders(envelope, terms.version));
  all.push('X-Content-Type-Options', 'nosniff');
  return body === undefined ? { status, headers: all } : { status, headers: all, body };
}

/** Prefer is echoed to writes with a payload, never to a delete. Evidence: recorded. */
const preferenceVerbs = new Set(['POST', 'PUT', 'MERGE', 'PATCH']);
