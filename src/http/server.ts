// Sockets, limits and lifecycle. Fastify sees one route: the addresses of the data plane do not fit route patterns, and
// its own reading of them, of verbs and of media types would refuse what the service answers in its own form.

import { type IncomingMessage, METHODS, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import type { HttpRequest, HttpResponse } from '../service/http-message.ts';
import type { RequestLog } from '../service/request-log.ts';
import { serveRequest, type TableService } from '../service/serve-request.ts';
import { isControlAddress, type OpenControlPlane, passToControlPlane } from './control-plane-route.ts';
import { LingeringClose } from './lingering-close.ts';
import { answerMalformed, invalidVerbPage } from './malformed-request.ts';
import { PipelineQueue } from './pipeline-queue.ts';
import { readBody } from './read-body.ts';

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
  const { keepAliveTimeoutMs, tls } = options;
  const lingering = new LingeringClose();
  const pipeline = new PipelineQueue();
  const app = fastify({
    logger: false,
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    keepAliveTimeout: keepAliveTimeoutMs,
    requestTimeout: requestTimeoutMs,
    // The service says itself what it thinks of a request without a Host.
    http: { maxHeaderSize: headerBytesMax, noDelay: true, requireHostHeader: false },
    clientErrorHandler(error, socket) {
      if (lingering.isClosing(socket)) socket.destroy();
      else answerMalformed(error, socket);
    },
    // The router never sees the address, so it cannot stumble over it; request.originalUrl keeps it.
    rewriteUrl: () => '/',
    ...(tls ? { https: tls } : {}),
  });
  // Nobody answers CONNECT unless he asks for it, and it never reaches a handler.
  app.server.on('connect', (_request, socket) => lingering.afterWords(invalidVerbPage, socket as Socket));
  app.addHook('preClose', async () => lingering.closeAll());
  // `hasBody: false`: the body is read as bytes, once the caller is known.
  const methods = METHODS.filter((method) => method !== 'CONNECT');
  for (const method of methods) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  app.route({
    method: methods,
    url: '/',
    handler(request, reply) {
      reply.hijack();
      const tools = { url: request.originalUrl, lingering, options };
      if (pipeline.isNext(reply.raw)) begin(request.raw, reply.raw, tools);
      else beginInTurn(pipeline, request.raw, reply.raw, tools);
    },
  });
  return app;
}

interface Tools {
  readonly url: string;
  readonly lingering: LingeringClose;
  readonly options: ServerOptions;
}

/** Apart from `begin`, so that only who waits is remembered. */
function beginInTurn(pipeline: PipelineQueue, request: IncomingMessage, response: ServerResponse, tools: Tools): void {
  pipeline.wait(request, response, () => begin(request, response, tools));
}

function begin(request: IncomingMessage, response: ServerResponse, tools: Tools): void {
  const { url, lingering, options } = tools;
  if (lingering.isClosing(request.socket)) return;
  const { service, controlPlane } = options;
  if (controlPlane && isControlAddress(url)) {
    request.url = url;
    void passToControlPlane(request, response, { controlPlane, onInternalError: service.onInternalError });
    return;
  }
  void answerOver(request, response, tools);
}

async function answerOver(
  request: IncomingMessage,
  response: ServerResponse,
  { url, lingering, options: { service, onAnswered } }: Tools,
): Promise<void> {
  const startedMs = performance.now();
  const { socket } = request;
  const call: HttpRequest = {
    method: request.method ?? '',
    url,
    headers: request.headers,
    isSecure: 'encrypted' in socket,
    remoteAddress: socket.remoteAddress ?? '',
    isAbandoned: () => socket.destroyed,
    readBody: () => readBody(request),
  };
  const served = await serveRequest(call, service);
  if (served.answer.isLast) lingering.afterAnswerTo(request);
  send(served.answer, response);
  onAnswered({ call, served, durationMs: performance.now() - startedMs });
}

function send({ status, reason, headers, body }: HttpResponse, response: ServerResponse): void {
  // A client that has gone away is nobody to answer.
  if (response.destroyed) return;
  // HTTP/1.0 knows no chunks: the body goes as it is, and ends with the connection.
  const sent = (response.useChunkedEncodingByDefault ? headers : withoutTransferEncoding(headers)) as string[];
  if (reason === undefined) response.writeHead(status, sent);
  else response.writeHead(status, reason, sent);
  if (typeof body === 'string') response.end(body, 'latin1');
  else response.end(body);
}

function withoutTransferEncoding(headers: readonly string[]): readonly string[] {
  const at = headers.indexOf('Transfer-Encoding');
  return at === -1 ? headers : headers.toSpliced(at, 2);
}
