import type { Answer } from './call.ts';
import type { Envelope } from './envelope.ts';
import type { Operation, Reply } from './operation.ts';
import type { Terms } from './request-terms.ts';
import { serverTimingOf } from './server-timing.ts';
import { identityHeaders, lengthHeaders, serverNames } from './service-headers.ts';

/** Adds what all answers share. Evidence: recorded (headers and their order). */
export function successAnswer(
  reply: Reply,
  { operation, terms, envelope }: { operation: Operation; terms: Terms; envelope: Envelope },
): Answer {
  if (operation.isServiceLevel) return serviceLevelAnswer(reply, { terms, envelope });
  const { status, headers, contentType, body, report } = reply;
  const all = ['Cache-Control', 'no-cache', ...lengthHeaders(body)];
  if (contentType !== undefined) all.push('Content-Type', contentType);
  if (headers !== undefined) for (const text of headers) all.push(text);
  // Prefer is echoed to writes with a payload, never to a delete. Evidence: recorded.
  const echoesPreference = operation.takesBody && !operation.ignoresPreference;
  if (terms.preference !== undefined && echoesPreference) all.push('Preference-Applied', terms.preference);
  all.push('Server', serverNames.service, ...identityHeaders(envelope, terms.version));
  all.push('X-Content-Type-Options', 'nosniff');
  if (report !== undefined && terms.isExplained) all.push('Server-Timing', serverTimingOf(report));
  return body === undefined ? { status, headers: all } : { status, headers: all, body };
}

/** Evidence: recorded: neither Cache-Control nor nosniff. */
function serviceLevelAnswer(
  { status, contentType, body }: Reply,
  { terms, envelope }: { terms: Terms; envelope: Envelope },
): Answer {
  const all = lengthHeaders(body);
  if (contentType !== undefined) all.push('Content-Type', contentType);
  all.push('Server', serverNames.service, ...identityHeaders(envelope, terms.version));
  return body === undefined ? { status, headers: all } : { status, headers: all, body };
}
