import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifySchemaValidationError } from 'fastify/types/schema.js';
import type { HttpServing } from '../../mcp/serve-http.ts';
import { ControlError } from '../control-error.ts';
import type { ControlRoute, ControlTools } from '../control-route.ts';
import { describeFault } from '../schema-fault.ts';
import type { Validate } from './call-tool.ts';
import type { RecentRequests } from './recent-requests.ts';

const url = '/_emulator/mcp';

const querySchema = {
  type: 'object',
  additionalProperties: false,
  properties: { allowWrites: { type: 'string', enum: ['true', 'false'] } },
} as const;

const messageSchema = {
  type: 'object',
  required: ['jsonrpc'],
  properties: {
    jsonrpc: { const: '2.0', description: 'The version of JSON-RPC.' },
    id: { description: 'The id of a request, a text or an integer. A notification has none.' },
    method: { type: 'string', description: 'The method of the request, such as tools/call.' },
    params: { type: 'object', description: 'The parameters of the method.' },
    result: { type: 'object', description: 'The result in a response.' },
    error: { type: 'object', description: 'The error in a response.' },
  },
} as const;

/** The parts that are loaded and started with the first message. */
interface Serving {
  readonly http: HttpServing;
  readonly recent: RecentRequests;
  readonly callTool: typeof import('./call-tool.ts').callTool;
}

/**
 * POST /_emulator/mcp: the Model Context Protocol over streamable HTTP. The code for the protocol is loaded when the
 * first message arrives.
 */
export function mcpRoute(tools: ControlTools): ControlRoute {
  let opening: Promise<Serving> | undefined;
  return {
    method: 'POST',
    url,
    schema: { querystring: querySchema, body: messageSchema },
    whenClosed: async () => (await opening)?.http.close(),
    async handler(request, reply) {
      if (tools.isClosing()) throw new ControlError('Closing', 'The emulator is closing.');
      opening ??= openServing(tools);
      return answerMessage(request, reply, { serving: await opening, tools });
    },
  };
}

async function openServing({ requests, modelTime, machineTime, onInternalError }: ControlTools): Promise<Serving> {
  const [{ serveHttp }, { callTool }, { RecentRequests }] = await Promise.all([
    import('../../mcp/serve-http.ts'),
    import('./call-tool.ts'),
    import('./recent-requests.ts'),
  ]);
  const http = serveHttp();
  const recent = new RecentRequests({ nowMs: modelTime.nowMs(), monotonicMs: machineTime.monotonicMs() });
  requests.subscribe({
    onRequest: (record) => recent.add(record),
    // End the responses: the server waits for them when it closes, and a client may listen for changes without end.
    onClose: () => void http.close().catch(onInternalError),
  });
  return { http, recent, callTool };
}

interface Answering {
  readonly serving: Serving;
  readonly tools: ControlTools;
}

async function answerMessage(request: FastifyRequest, reply: FastifyReply, { serving, tools }: Answering) {
  const { http, recent, callTool } = serving;
  const { allowWrites } = request.query as { readonly allowWrites?: 'true' | 'false' };
  const allowsWrites = allowWrites === 'true';
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const response = await http.answer({
    // Only the protocol library reads the address, and it requires one.
    url: `http://localhost${url}`,
    headers: headersOf(request),
    body: request.body,
    signal: gone.signal,
    allowsWrites,
    callTool: (call) => callTool(call, { tools, recent, allowsWrites, validate: validateBy(request) }),
  });
  const mediaType = response.headers.get('content-type');
  if (mediaType !== null) void reply.type(mediaType);
  void reply.code(response.status);
  if (response.body === null) return reply.send();
  return reply.send(Readable.fromWeb(response.body as ReadableStream<Uint8Array>));
}

function headersOf({ headers }: FastifyRequest): Headers {
  const given = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    // The protocol does not need the authorization, which only the guard reads.
    if (value === undefined || name === 'authorization') continue;
    given.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return given;
}

/** Validates values with the validator of the control plane. */
const validateBy =
  (request: FastifyRequest): Validate =>
  (schema, value) => {
    const validate = request.compileValidationSchema(schema);
    return validate(value) ? undefined : describeFault(validate.errors?.[0] as FastifySchemaValidationError, 'input');
  };
