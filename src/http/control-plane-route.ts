// Where a request leaves the data plane: what is below `/_emulator/` belongs to the emulator itself. No account can have
// that name, so nothing of the service is lost.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isLoopbackAddress } from '../model/request-source.ts';

/** What takes requests over; an instance of Fastify does. */
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

/** Where the emulator describes itself. */
export const landingPath = '/_emulator/';

/**
 * Whether a person on this machine opened the address of the emulator in a browser. The service has no operation there: every
 * client names an account, signs, or does not ask for HTML.
 */
export function isBrowserAtRoot(url: string, { method, headers, socket }: IncomingMessage): boolean {
  return (
    url === '/' &&
    method === 'GET' &&
    headers.authorization === undefined &&
    /\btext\/html\b/i.test(headers.accept ?? '') &&
    isLoopbackAddress(socket.remoteAddress ?? '')
  );
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
