import { quote } from '../model/printable-text.ts';
import { ServiceError } from '../model/service-error.ts';
import type { CorsRule } from '../model/service-properties.ts';
import { preflightHeaders } from '../protocol/cors.ts';
import { type HttpRequest, type HttpResponse, headerOf } from './http-message.ts';
import type { RequestIds } from './request-ids.ts';
import { identityHeaders, serverNames } from './service-headers.ts';

/**
 * Returns the response to a Table Preflight Request. Such a request is anonymous and is not about a particular
 * resource. Evidence: documented.
 */
export function preflightResponse(
  { headers }: HttpRequest,
  { rules, ids, version }: { rules: readonly CorsRule[]; ids: RequestIds; version: string },
): HttpResponse {
  const origin = headerOf(headers, 'origin');
  const method = headerOf(headers, 'access-control-request-method');
  if (origin === undefined || method === undefined) {
    throw new ServiceError('InvalidHeaderValue', {
      stage: 'frontEnd',
      message: 'A required CORS header is not present.',
      why: `There is no ${origin === undefined ? 'Origin' : 'Access-Control-Request-Method'} header.`,
    });
  }
  const requestHeaders = headerOf(headers, 'access-control-request-headers');
  const allowed = preflightHeaders(rules, { origin, method, requestHeaders });
  if (!allowed) {
    const why = [
      `No CORS rule allows ${method} from ${quote(origin)} with these headers.`,
      'Set Table Service Properties sets the rules of an account.',
    ];
    throw new ServiceError('CorsPreflightFailure', { stage: 'frontEnd', why });
  }
  const identity = identityHeaders(ids, version);
  return { status: 200, headers: [['Content-Length', '0'], ...allowed, ['Server', serverNames.service], ...identity] };
}
