// Decides which requests go to the control plane. Everything below `/_emulator/` belongs to the emulator itself. This
// prefix hides no address of the Table service, because no account can be called `_emulator`.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isLoopbackAddress } from '../model/request-source.ts';

/** Answers requests to the control plane, as an instance of Fastify does. */
interface ControlPlane {
  routing(request: IncomingMessage, response: ServerResponse): void;
}

export type OpenControlPlane = () => Promise<ControlPlane>;

interface ControlPlaneRoute {
  readonly controlPlane: OpenControlPlane;
  readonly onInternalError: (error: unknown, requestId: string) => void;
}

export function isControlAddress(url: string): boolean {
  return /^\/_emulator(?:[/?]|$)/.test(url);
}

/**
 * The addresses of the token issuer at the root of the host. The issuer must answer at the root, because the identity
 * libraries for Go and Java drop the path of an authority's address. The addresses with a GUID hide no account, because
 * an account name cannot look like a GUID. A similar address that is not in this list belongs to the data plane, for
 * example the address of a table in an account named adfs.
 */
const identityPaths = [
  '/{GUID}/v2.0/.well-known/openid-configuration',
  '/{GUID}/oauth2/v2.0/token',
  '/{GUID}/oauth2/token',
  '/{GUID}/discovery/v2.0/keys',
  '/adfs/.well-known/openid-configuration',
  '/adfs/oauth2/v2.0/token',
  '/adfs/oauth2/token',
  '/adfs/discovery/v2.0/keys',
  // Java sends two slashes before this path, and JavaScript sends one after it.
  '/metadata/identity/oauth2/token',
  '//metadata/identity/oauth2/token',
  '/metadata/identity/oauth2/token/',
  '//metadata/identity/oauth2/token/',
];

const guid = '[\\da-fA-F]{8}(?:-[\\da-fA-F]{4}){3}-[\\da-fA-F]{12}';
const identityPattern = new RegExp(
  `^(?:${identityPaths.map((path) => path.replaceAll('.', '\\.').replace('{GUID}', guid)).join('|')})(?=\\?|$)`,
);

/** The address of the control plane for an address of the issuer; undefined for any other address. */
export function identityAddress(url: string): string | undefined {
  const [path] = identityPattern.exec(url) ?? [];
  if (path === undefined) return undefined;
  return `/_emulator/identity${path.replace(/^\/\//, '/').replace(/\/$/, '')}${url.slice(path.length)}`;
}

/** The page on which the emulator describes itself. */
const landingPath = '/_emulator/';

/**
 * Whether a person on this machine opened the root address of the emulator in a browser. A client of the Table service
 * never sends such a request. Such a client names an account in the address, signs the request, or does not ask for
 * HTML.
 */
function isBrowserAtRoot(url: string, { method, headers, socket }: IncomingMessage): boolean {
  return (
    url === '/' &&
    method === 'GET' &&
    headers.authorization === undefined &&
    /\btext\/html\b/i.test(headers.accept ?? '') &&
    isLoopbackAddress(socket.remoteAddress ?? '')
  );
}

/** The address within the control plane that a request asks for; undefined for a request to the data plane. */
export function controlAddress(url: string, request: IncomingMessage, servesIdentity: boolean): string | undefined {
  if (isControlAddress(url)) return url;
  if (isBrowserAtRoot(url, request)) return landingPath;
  return servesIdentity ? identityAddress(url) : undefined;
}

/** Hands over a request whose body is unread. Never throws. */
export async function passToControlPlane(
  request: IncomingMessage,
  response: ServerResponse,
  { controlPlane, onInternalError }: ControlPlaneRoute,
): Promise<void> {
  try {
    const { routing } = await controlPlane();
    routing(request, response);
  } catch (error) {
    const requestId = randomUUID();
    onInternalError(error, requestId);
    if (response.headersSent || response.destroyed) return;
    const message = `The control plane did not start; the log says why (request ${requestId}).`;
    const headers = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
    response.writeHead(500, { 'Content-Type': 'application/json', ...headers });
    response.end(JSON.stringify({ error: { code: 'InternalError', message } }));
  }
}
