// The emulator's own API under `/_emulator/`. It is separate from the data plane: it uses ordinary JSON, schemas, and
// its own form of errors. The control plane does not listen on a port: the data plane's server passes requests to it.
// No response carries CORS headers, so that pages of other origins cannot read responses.

import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  type onRequestHookHandler,
} from 'fastify';
import type { RequestRecord } from '../model/request-record.ts';
import { StoreUnavailable } from '../storage/store-unavailable.ts';
import { ControlError, storeRefusal } from './control-error.ts';
import type { ControlRoute, ControlTools } from './control-route.ts';
import { controlRoutes } from './control-routes.ts';
import { entitiesMediaType } from './data/entity-lines.ts';
import { createGuard, type GuardOptions } from './guard.ts';
import { describeFault } from './schema-fault.ts';

const bodyBytesMax = 1_048_576;
/** Maximum length of a name in an address, percent-encoded. Each route decides which decoded names are too long. */
const parameterCharsMax = 8_192;
/** Longer addresses are refused before the router reads them, because the router runs before the guard. */
const addressCharsMax = 10_240;
/** The address in place of one that is too long. It has no route. */
const unreadAddress = '/_emulator/-';
const commonHeaders = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

export interface ControlPlaneOptions extends Omit<ControlTools, 'controlToken'> {
  readonly guard: GuardOptions;
  /** Called with each answered request, except for probes that succeed. */
  readonly onAnswered?: ((record: ControlRecord) => void) | undefined;
}

/** The part of a request's record that the control plane fills; `url` is the path without its query. */
export type ControlRecord = Pick<RequestRecord, 'operation' | 'method' | 'url' | 'status' | 'durationMs'>;

/** When it resolves, the control plane is ready for requests. */
export async function createControlPlane(options: ControlPlaneOptions): Promise<FastifyInstance> {
  const { guard, onInternalError, onAnswered } = options;
  const routes = controlRoutes({ ...options, controlToken: guard.token });
  const routeOf = ({ routeOptions }: FastifyRequest): ControlRoute | undefined =>
    routes.find(({ url }) => url === routeOptions.url);
  const app = fastify({
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    bodyLimit: bodyBytesMax,
    rewriteUrl: ({ url = '' }) => (url.length > addressCharsMax ? unreadAddress : url),
    routerOptions: { maxParamLength: parameterCharsMax },
    schemaController: { compilersFactory: await loadCompilers() },
    // A body is accepted as it is, or refused. No member is converted or dropped.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, allErrors: false } },
    schemaErrorFormatter: ([fault], part) => new ControlError('InvalidRequest', describeFault(fault, part)),
    // These errors occur before any hook runs, so the common headers are set here.
    frameworkErrors: (error, _request, reply) => send(refusalOf(error), reply.headers(commonHeaders) as FastifyReply),
  });
  // Do not accept text/plain: a page of another origin can send it without a preflight request.
  app.removeContentTypeParser('text/plain');
  app.addContentTypeParser(entitiesMediaType, { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', async (_request, reply) => {
    void reply.headers(commonHeaders);
  });
  app.addHook(
    'onRequest',
    createGuard(guard, (request) => routeOf(request)?.isPublic === true),
  );
  app.addHook('onRequest', refuseUnknown(routes));
  app.setErrorHandler<FastifyError | ControlError>((error, _request, reply) => {
    const refusal = refusalOf(error);
    const fault = error instanceof ControlError ? error.cause : refusal.status >= 500 ? error : undefined;
    if (fault !== undefined) onInternalError(fault);
    send(refusal, reply);
  });
  app.addHook('onResponse', async (request, reply) => {
    if (routeOf(request)?.isProbe && reply.statusCode < 400) return;
    const { statusCode: status, elapsedTime: durationMs } = reply;
    onAnswered?.({ operation: 'Control', method: request.method, url: pathOf(request), status, durationMs });
  });
  app.addHook('onClose', async () => {
    for (const { whenClosed } of routes) await whenClosed?.();
  });
  for (const route of routes) if (!route.takesForm) app.route(route);
  await app.register(async (scope) => {
    scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
      done(null, body),
    );
    for (const route of routes) if (route.takesForm) scope.route(route);
  });
  await app.ready();
  return app;
}

/** Loaded only now, because the start would otherwise have to parse them (scripts/bundle.mjs). */
async function loadCompilers(): Promise<SchemaCompilers> {
  const [{ default: validator }, { default: serializer }] = await Promise.all([
    import('@fastify/ajv-compiler'),
    import('@fastify/fast-json-stringify-compiler'),
  ]);
  return { buildValidator: validator(), buildSerializer: serializer() };
}

type SchemaCompilers = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>;

/** Refuses an unknown path or verb before the body is read. */
function refuseUnknown(routes: readonly ControlRoute[]): onRequestHookHandler {
  return async (request, reply) => {
    if (!request.is404) return;
    if (request.originalUrl.length > addressCharsMax) {
      throw new ControlError('NotFound', `An address of the control plane has at most ${addressCharsMax} characters.`);
    }
    const path = pathOf(request);
    const allowed = routes
      .filter(({ url }) => isPathOf(url, path))
      .map(({ method, exposeHeadRoute }) => (exposeHeadRoute ? `${method}, HEAD` : method))
      .join(', ');
    if (allowed === '') throw new ControlError('NotFound', 'There is nothing of this name in the control plane.');
    void reply.header('Allow', allowed);
    throw new ControlError('MethodNotAllowed', `${path} takes ${allowed}, not ${request.method}.`);
  };
}

/** Whether a path has the form of a route's address, in which `:name` means any segment. */
function isPathOf(url: string, path: string): boolean {
  const [words, given] = [url.split('/'), path.split('/')];
  return words.length === given.length && words.every((word, at) => word.startsWith(':') || word === given[at]);
}

const pathOf = ({ url }: FastifyRequest): string => url.split('?', 1)[0] ?? '';

const unreadableJson =
  'The body is not valid JSON, or it has a member named __proto__, or a member constructor with a member prototype.';

function refusalOf(error: FastifyError | ControlError): ControlError {
  if (error instanceof ControlError) return error;
  if (error instanceof StoreUnavailable) return storeRefusal(error);
  switch (error.statusCode) {
    case 413:
      return new ControlError('RequestBodyTooLarge', 'The body is larger than this operation takes.');
    case 415:
      return new ControlError('UnsupportedMediaType', 'Send the body as JSON: Content-Type: application/json.');
    case 400:
      // Fastify refuses members with these names in the same way as text that is not JSON.
      if (error.code === 'FST_ERR_CTP_INVALID_JSON_BODY') return new ControlError('InvalidRequest', unreadableJson);
      return new ControlError('InvalidRequest', `${error.message.replace(/\.$/, '')}.`);
    default:
      return new ControlError('InternalError', 'The emulator failed; its log says why.');
  }
}

function send({ code, status, message, serviceStatus, line, place, hints }: ControlError, reply: FastifyReply): void {
  const error = {
    code,
    message,
    ...(serviceStatus === undefined ? {} : { status: serviceStatus }),
    ...(line === undefined ? {} : { line }),
    ...(place === undefined ? {} : { place }),
    ...(hints === undefined ? {} : { hints }),
  };
  void reply.code(status).send({ error });
}
