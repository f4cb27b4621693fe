import type { WireAnswer } from './table-client.ts';

/** The CORS headers of a response, by lower-case names. */
export function corsHeadersOf({ headers }: WireAnswer): Record<string, string> {
  const own = headers
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => name === 'vary' || name.startsWith('access-control-'));
  return Object.fromEntries(own);
}
