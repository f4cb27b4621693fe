// Sockets, limits and lifecycle. Fastify sees one route: the addresses of the data plane do not fit route patterns, and
// its own reading of them, of verbs and of media types would refuse what the service answers in its own form.

import { type IncomingMessage, METHODS, type ServerResponse } from 'node:http';
import fastify, { type FastifyInstance } from 'fastify';
import type { Answer, Call } from './call.ts';
import { isControlAddress, type OpenControlPlane, passToControlPlane } from './control-door.ts';
import { answerMalformed } from './malformed-request.ts';
import { readBody } from './read-body.ts';
import type { RequestLog } from './request-log.ts';
import { serve, type TableService } from './straight-line.ts';

/** Long `$filter`s travel in the request line. */
const headerBytesMax = 64 * 1024;
/** A request that takes longer to arrive is given up. */
const requestTimeoutMs = 120_000;

/** Key and certificate, as PEM texts or as one PFX container. */
export type Tls =
  | { readonly cert: string | Buffer; readonly key: string | Buffer }
  | { readonly pfx: Buffer; readonly passphrase: string };

export interface ServerOptions {
  readonly service: TableService;
  /** Told of every request once it is answered. */
  readonly onAnswered: RequestLog;
  readonly keepAliveTimeoutMs: number;
  readonly tls?: Tls;
  /** Gives what answers below `/_emulator/`, the same one each time; absent for none. */
  readonly controlPlane?: OpenControlPlane;
}

export function createServer(options: ServerOptions): FastifyInstance {
  const { service, onAnswered, keepAliveTimeoutMs, tls, controlPlane } = options;
  const app = fastify({
    logger: false,
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    keepAliveTimeout: keepAliveTimeoutMs,
    requestTimeout: requestTimeoutMs,
    // The service says itself what it thinks of a request without a Host.
    http: { maxHeaderSize: headerBytesMax, noDelay: true, requireHostHeader: false },
    clientErrorHandler: answerMalformed,
    // The router never sees the address, so it cannot stumble over it; request.originalUrl keeps it.
    rewriteUrl: () => '/',
    ...(tls ? { https: tls } : {}),
  });
  // CONNECT never reaches a handler. `hasBody: false`: the body is read as bytes, once the caller is known.
  const methods = METHODS.filter((method) => method !== 'CONNECT');
  for (const method of methods) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  app.route({
    method: methods,
    url: '/',
    handler(request, reply) {
      reply.hijack();
      if (controlPlane && isControlAddress(request.originalUrl)) {
        request.raw.url = request.originalUrl;
        void passToControlPlane(request.raw, reply.raw, { controlPlane, onInternalError: service.onInternalError });
        return;
      }
      void answerOver(request.raw, reply.raw, { url: request.originalUrl, service, onAnswered });
    },
  });
  return app;
}

async function answerOver(
  request: IncomingMessage,
  response: ServerResponse,
  { url, service, onAnswered }: { url: string; service: TableService; onAnswered: RequestLog },
): Promise<void> {
  const startedMs = performance.now();
  const call: Call = {
    method: request.method ?? '',
    url,
    headers: request.headers,
    isSecure: 'encrypted' in request.socket,
    remoteAddress: request.socket.remoteAddress ?? '',
    readBody: () => readBody(request),
  };
  const served = await serve(call, service);
  send(served.answer, response);
  onAnswered({ call, served, durationMs: performance.now() - startedMs });
}

function send({ status, reason, headers, body }: Answer, response: ServerResponse): void {
  // A client that has gone away is nobody to answer.
  if (response.destroyed) return;
  if (reason === undefined) response.writeHead(status, headers as string[]);
  else response.writeHead(status, reason, headers as string[]);
  if (typeof body === 'string') response.end(body, 'latin1');
  else response.end(body);
}
