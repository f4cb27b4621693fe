import { ServiceError } from '../model/service-error.ts';
import type { CorsRule } from '../model/service-properties.ts';
import { preflightHeaders } from '../protocol/cors.ts';
import { type Answer, type Call, headerOf } from './call.ts';
import type { Envelope } from './envelope.ts';
import { identityHeaders, serverNames } from './service-headers.ts';

/** Answers Table Preflight Request: anonymous, and about no resource in particular. Evidence: documented. */
export function preflightAnswer(
  { headers }: Call,
  { rules, envelope, version }: { rules: readonly CorsRule[]; envelope: Envelope; version: string },
): Answer {
  const origin = headerOf(headers, 'origin');
  const method = headerOf(headers, 'access-control-request-method');
  if (origin === undefined || method === undefined) {
    throw new ServiceError('InvalidHeaderValue', { stage: 'door', message: 'A required CORS header is not present.' });
  }
  const requestHeaders = headerOf(headers, 'access-control-request-headers');
  const allowed = preflightHeaders(rules, { origin, method, requestHeaders });
  if (!allowed) throw new ServiceError('CorsPreflightFailure', { stage: 'door' });
  const identity = identityHeaders(envelope, version);
  return { status: 200, headers: ['Content-Length', '0', ...allowed, 'Server', serverNames.service, ...identity] };
}
