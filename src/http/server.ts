// The HTTP server: sockets, limits and lifecycle. Fastify has only one route, for two reasons. Route patterns cannot
// express the addresses of the data plane. Fastify would also refuse some addresses, verbs and media types for which
// the service has its own answers.

import { lookup } from 'node:dns/promises';
import {
  createServer as createPlainServer,
  type IncomingMessage,
  METHODS,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Server as TlsServer } from 'node:tls';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { RequestRecord } from '../model/request-record.ts';
import { recordDelivery, startRecord } from '../service/fill-record.ts';
import type { Delivery, HttpRequest } from '../service/http-message.ts';
import { serveRequest, type TableService } from '../service/serve-request.ts';
import { BodyBudget } from './body-budget.ts';
import type { Tls } from './certificate.ts';
import { type Connection, Connections } from './connections.ts';
import { controlAddress, type OpenControlPlane, passToControlPlane } from './control-plane-route.ts';
import { HttpDate } from './http-date.ts';
import { LingeringClose } from './lingering-close.ts';
import { answerMalformed, invalidVerbPage } from './malformed-request.ts';
import { PipelineQueue } from './pipeline-queue.ts';
import { readBody } from './read-body.ts';
import { type SendTools, send } from './send-response.ts';
import { shareWithTls } from './shared-port.ts';
import { Turn } from './turn.ts';
import { watchWriting } from './watch-writing.ts';

/** Room for a long `$filter` in the request line. */
const headerBytesMax = 64 * 1024;
const arrivalDefault = { requestMs: 120_000, checkMs: 30_000 };
/** At a stop, requests that are arriving and responses that are being sent have this long to end. */
const closeGraceMs = 5_000;

export interface ServerOptions {
  readonly service: TableService;
  /** Receives the record of every request, and what will be sent. Once it is sent, the body may no longer exist. */
  readonly beforeSend?: ((record: RequestRecord, delivery: Delivery) => void) | undefined;
  /** Receives the record of every request once its response is handed to the socket. */
  readonly onAnswered: (record: RequestRecord) => void;
  readonly keepAliveTimeoutMs: number;
  /** If present, HTTPS replaces HTTP. */
  readonly tls?: Tls;
  /** If present, HTTPS and HTTP share the port. */
  readonly shared?: PemCertificate;
  /**
   * Returns the control plane, which answers all addresses below `/_emulator/`. Each call returns the same control
   * plane. If this function is absent, the emulator has no control plane.
   */
  readonly controlPlane?: OpenControlPlane;
  /** Whether the control plane also answers at the addresses of a token issuer. */
  readonly servesIdentity?: boolean;
  /** Looks up the addresses of `localhost`; by default as the system does. */
  readonly lookUp?: (host: string) => Promise<readonly string[]>;
  /** A request that takes longer than `requestMs` to arrive is refused with 408; Node checks every `checkMs`. */
  readonly arrival?: { readonly requestMs: number; readonly checkMs: number };
  /** The room for request bodies; by default 128 MiB. */
  readonly bodies?: BodyBudget;
}

/** A certificate and its private key, as PEM texts. */
export interface PemCertificate {
  readonly certificate: string;
  readonly key: string;
}

export interface HttpServer {
  /** Listens on a name or an address; for `localhost`, on each of its addresses. Rejects with the system's error. */
  listen(at: { readonly host: string; readonly port: number }): Promise<AddressInfo>;
  /** The address at which the server listens; the first one if there are several. */
  address(): AddressInfo;
  /** With `shared`: new connections get this certificate. */
  replaceCertificate(pair: PemCertificate): void;
  /** Accepts no more requests, lets those under way end within the grace period, and closes everything. */
  close(): Promise<void>;
}

export function createServer(options: ServerOptions): HttpServer {
  const { service, lookUp = addressesOf, bodies = new BodyBudget(service.buffers) } = options;
  const { time, inFlight, buffers, clock } = service;
  const connections = new Connections(time);
  const lingering = new LingeringClose(time);
  const reset = (socket: Socket): void => connections.reset(socket);
  const sendTools = { time, inFlight, buffers, date: new HttpDate(clock), reset };
  const turn = new Turn<Arrival>((arrival) => begin(arrival, tools));
  const tools: Tools = {
    options,
    connections,
    lingering,
    bodies,
    pipeline: new PipelineQueue(),
    turn,
    sendTools,
    tlsServers: [],
  };
  const app = createApp(tools);
  const others: Server[] = [];
  return {
    async listen({ host, port }) {
      const [first = host, ...rest] = host === 'localhost' ? await lookUp(host) : [host];
      await app.listen({ host: first, port });
      const bound = app.server.address() as AddressInfo;
      for (const address of rest) {
        const server = openServer(app.routing, tools);
        // One address of a name is enough, as in Node.
        if (await isListening(server, { host: address, port: bound.port })) others.push(server);
      }
      return bound;
    },
    address: () => app.server.address() as AddressInfo,
    replaceCertificate({ certificate, key }) {
      for (const server of tools.tlsServers) server.setSecureContext({ cert: certificate, key });
    },
    async close() {
      lingering.closeAll();
      connections.close();
      const cancel = time.after(closeGraceMs, () => connections.destroyAll());
      await Promise.all([app.close(), ...others.map(closed)]);
      cancel();
    },
  };
}

interface Tools {
  readonly options: ServerOptions;
  readonly connections: Connections;
  readonly lingering: LingeringClose;
  readonly bodies: BodyBudget;
  readonly pipeline: PipelineQueue;
  readonly turn: Turn<Arrival>;
  readonly sendTools: SendTools;
  /** The TLS servers behind a shared port. */
  readonly tlsServers: TlsServer[];
}

function createApp(tools: Tools): FastifyInstance {
  const app = fastify({
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    serverFactory: (handler) => openServer(handler, tools),
    // openServer handles these errors, also for the server at the second address of localhost.
    clientErrorHandler: () => undefined,
    // The router never sees the real address, so it cannot refuse one. request.originalUrl keeps the real address.
    rewriteUrl: () => '/',
    // The only route has no schema, but by default Fastify still loads its schema compilers. Loading the compilers
    // takes a tenth of the start time.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
  });
  // `hasBody: false` prevents Fastify from reading the body. `readBody` reads the body as bytes after the caller is
  // authenticated.
  const methods = METHODS.filter((method) => method !== 'CONNECT');
  for (const method of methods) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  app.route({
    method: methods,
    url: '/',
    handler(request, reply) {
      reply.hijack();
      take(request, reply.raw, tools);
    },
  });
  return app;
}

function noCompiler(): never {
  throw new Error('the data plane has no schemas');
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

function openServer(handler: Handler, tools: Tools): Server {
  const { options, connections, lingering, turn } = tools;
  const { tls, keepAliveTimeoutMs, arrival = arrivalDefault } = options;
  const settings = {
    keepAliveTimeout: keepAliveTimeoutMs,
    requestTimeout: arrival.requestMs,
    connectionsCheckingInterval: arrival.checkMs,
    maxHeaderSize: headerBytesMax,
    noDelay: true,
    // The service has its own answer to a request without a Host.
    requireHostHeader: false,
  };
  const server = tls ? createTlsServer({ ...settings, ...tls }, handler) : createPlainServer(settings, handler);
  if (!tls && options.shared) sharePort(server, options.shared, tools);
  else connections.watch(server, { isTls: tls !== undefined });
  if (tls) server.on('secureConnection', readThroughStream);
  server.on('clientError', (error: Error, socket: Socket) => {
    // The malformed bytes may be the body of a request that has not begun. It begins now, so that it has a record.
    turn.flush();
    const connection = connections.of(socket);
    if (connection && !lingering.isClosing(socket)) answerMalformed(error, connection, lingering);
    // Nothing can be sent before the TLS handshake is done.
    else if (!connection?.isRefused) socket.destroy();
  });
  // Node emits this event for CONNECT and never calls a handler.
  server.on('connect', (_request, socket) => lingering.afterMessage(invalidVerbPage, socket as Socket));
  // Node's own function considers a connection idle as soon as the program has ended the response. That function would
  // close the connection while the response is still being sent.
  server.closeIdleConnections = () => undefined;
  return server;
}

function sharePort(
  server: Server,
  { certificate: cert, key }: PemCertificate,
  { connections, tlsServers }: Tools,
): void {
  tlsServers.push(shareWithTls(server, { cert, key, connections, onDecrypted: readThroughStream }));
}

/**
 * Adds a `data` listener, which makes Node read decrypted bytes through the socket's stream. Without this listener,
 * Node passes decrypted bytes directly to its HTTP parser, even from a paused socket. For example, a request body may
 * arrive while an earlier response is being sent. At this time, the socket and the parser are paused, and the paused
 * parser refuses the bytes of the body as malformed (HPE_PAUSED).
 */
function readThroughStream(socket: Socket): void {
  socket.on('data', ignore);
}

const ignore = (): void => undefined;

const addressesOf = async (host: string): Promise<string[]> =>
  (await lookup(host, { all: true })).map(({ address }) => address);

function isListening(server: Server, at: { readonly host: string; readonly port: number }): Promise<boolean> {
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(at, () => resolve(true));
  });
}

const closed = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));

interface Arrival {
  /** The request target as sent. */
  readonly url: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
}

/** Carries out a request at the end of this turn or, if it is pipelined, after the earlier ones. */
function take({ originalUrl: url, raw: request }: FastifyRequest, response: ServerResponse, tools: Tools): void {
  const { connections, pipeline } = tools;
  const connection = connections.of(request.socket);
  if (!connection || connections.isClosing) return;
  const arrival = { url, request, response, connection };
  connection.latest = arrival;
  if (pipeline.isNext(response)) tools.turn.add(arrival);
  else beginLater(arrival, tools);
}

/** Separate from `take`, so that only requests that wait cost a closure. */
function beginLater(arrival: Arrival, tools: Tools): void {
  tools.pipeline.wait(arrival.request, arrival.response, () => begin(arrival, tools));
}

function begin(arrival: Arrival, tools: Tools): void {
  const { url, request, response, connection } = arrival;
  const { service, controlPlane, servesIdentity = false } = tools.options;
  if (connection.isRefused || tools.lingering.isClosing(connection.socket)) return;
  // The malformed bytes are the body of this request.
  if (connection.isMalformed && !request.complete) return;
  const controlUrl = controlPlane && controlAddress(url, request, servesIdentity);
  if (!controlPlane || controlUrl === undefined) {
    void answerOver(arrival, tools);
    return;
  }
  request.url = controlUrl;
  response.once('close', watchWriting(connection.socket, service.time));
  void passToControlPlane(request, response, { controlPlane, onInternalError: service.onInternalError });
}

function repeatsAuthorization({ headers, rawHeaders, headersDistinct }: IncomingMessage): boolean {
  // Usually no header is repeated, which this cheaper check shows.
  if (Object.keys(headers).length * 2 === rawHeaders.length) return false;
  return (headersDistinct['authorization']?.length ?? 0) > 1;
}

async function answerOver(
  { url, request, response, connection }: Arrival,
  { options: { service, onAnswered, beforeSend }, connections, lingering, bodies, turn, sendTools }: Tools,
): Promise<void> {
  const { socket } = connection;
  const { inFlight, time } = service;
  const isAbandoned = (): boolean => socket.destroyed || connection.isRefused;
  const httpRequest: HttpRequest = {
    method: request.method ?? '',
    url,
    headers: request.headers,
    repeatsAuthorization: () => repeatsAuthorization(request),
    isSecure: 'encrypted' in socket,
    remoteAddress: socket.remoteAddress ?? '',
    connection: connection.number,
    connectionsOpen: connections.open,
    isAbandoned,
    whenOver: (listener) => connections.whenOver(socket, listener),
    readBody: () => readBody(request, { bodies, isAbandoned }),
    discardBody: () => void request.resume(),
  };
  inFlight.enter();
  const record = startRecord(httpRequest, service);
  const delivery = await serveRequest(httpRequest, record, service);
  recordDelivery(record, delivery);
  turn.count(record.bytesOut);
  beforeSend?.(record, delivery);
  if (!('kind' in delivery) && delivery.isLast) lingering.afterResponseTo(request);
  try {
    send(delivery, response, sendTools);
  } catch (error) {
    // A header cannot be sent: all that is left is to close the connection.
    inFlight.leave();
    socket.destroy();
    service.onInternalError(error, record.requestId);
  }
  record.durationMs = time.monotonicMs() - record.startedMs;
  try {
    onAnswered(record);
  } finally {
    // Not earlier: observers of the record read the body.
    bodies.release(request);
  }
}
