import { quote } from '../model/printable-text.ts';
import { foreignPageHeader } from '../model/request-source.ts';
import { ServiceError } from '../model/service-error.ts';
import type { CorsRule } from '../model/service-properties.ts';
import { selectRule } from '../protocol/cors.ts';
import { mediaTypeOf } from '../protocol/request-media.ts';
import { type HttpRequest, headerOf } from './http-message.ts';

/**
 * Whether the request is a write that a browser sends, without a preflight, for a web page of another origin. Any page
 * can sign such a write, because the emulator's key is well known.
 */
export function isForeignWrite({ method, headers }: Pick<HttpRequest, 'method' | 'headers'>): boolean {
  // Before a write with a method other than POST, browsers send a preflight. The CORS rules have already decided on
  // that preflight.
  if (method !== 'POST') return false;
  const { host, origin } = headers;
  const header = foreignPageHeader({ host, origin, fetchSite: headerOf(headers, 'sec-fetch-site') });
  return header !== undefined && !isPreflighted(headers);
}

/**
 * Headers that the service's clients send, and that a page can set only after a preflight. Source: the Fetch standard.
 */
const preflightedHeaders = [
  ...[
    'authorization',
    'x-ms-version',
    'x-ms-date',
    'x-ms-client-request-id',
    'dataserviceversion',
    'maxdataserviceversion',
  ],
  ...['prefer', 'if-match', 'x-http-method'],
];
/** Content types that a page can send only after a preflight. */
const preflightedTypes = new Set([
  'application/json',
  'application/atom+xml',
  'application/xml',
  'text/xml',
  'multipart/mixed',
]);

function isPreflighted(headers: HttpRequest['headers']): boolean {
  // In these modes, browsers never send a preflight.
  if (/^(?:no-cors|navigate)$/i.test(headerOf(headers, 'sec-fetch-mode') ?? '')) return false;
  return (
    preflightedHeaders.some((name) => headers[name] !== undefined) ||
    preflightedTypes.has(mediaTypeOf(headers['content-type']))
  );
}

/**
 * Refuses a write from a page of another origin if no CORS rule allows it. Evidence: assumed; Azure carries out such a
 * write (docs/differences.md).
 */
export function checkForeignWrite({ method, headers }: HttpRequest, rules: readonly CorsRule[]): void {
  const origin = headerOf(headers, 'origin');
  if (selectRule(rules, { origin, method })) return;
  const page = origin === undefined ? 'A page of another origin' : `A page of the origin ${quote(origin)}`;
  const why = [
    `${page} sent this without a preflight, and no CORS rule allows ${method} from there.`,
    'Set Table Service Properties sets the rules of an account; --allow-foreign-pages allows every page to write.',
  ];
  throw new ServiceError('CorsPreflightFailure', { stage: 'frontEnd', why });
}
