import type { FastifyReply, FastifyRequest } from 'fastify';
import { ControlError } from '../control-error.ts';
import type { ControlRoute, ControlTools } from '../control-route.ts';
import { EventStream, type Topic } from './event-stream.ts';

/** Room for two browsers: each opens up to six connections to a host over HTTP/1.1. */
const streamsMax = 12;

const topics: readonly Topic[] = ['requests', 'capacity'];
const querySchema = {
  type: 'object',
  additionalProperties: false,
  properties: { topics: { type: 'string', pattern: `^(${topics.join('|')})(,(${topics.join('|')}))*$` } },
} as const;

/**
 * GET /_emulator/events: sends server-sent events about what happens in the emulator, until the client or the emulator
 * closes the connection.
 */
export function eventsRoute(tools: ControlTools): ControlRoute {
  const streams = new Set<EventStream>();
  return {
    method: 'GET',
    url: '/_emulator/events',
    schema: { querystring: querySchema },
    handler: async (request, reply) => openStream(request, reply, { tools, streams }),
  };
}

interface Streams {
  readonly tools: ControlTools;
  readonly streams: Set<EventStream>;
}

async function openStream(request: FastifyRequest, reply: FastifyReply, { tools, streams }: Streams) {
  if (tools.isClosing()) throw new ControlError('Closing', 'The emulator is closing.');
  if (streams.size >= streamsMax) {
    throw new ControlError('TooManyStreams', `${streamsMax} streams are open; close one of them.`);
  }
  const { topics: names = topics.join(',') } = request.query as { readonly topics?: string };
  const stream = new EventStream({
    topics: new Set(topics.filter((topic) => names.split(',').includes(topic))),
    time: tools.machineTime,
    capacity: () => tools.capacity.report(),
  });
  const close = (): void => stream.close();
  const unsubscribe = tools.requests.subscribe({
    onRequest: names.includes('requests') ? (record) => stream.add(record) : () => undefined,
    onClose: close,
  });
  streams.add(stream);
  // The client is gone, or the emulator closes.
  reply.raw.once('close', () => {
    close();
    unsubscribe();
    streams.delete(stream);
  });
  return reply.type('text/event-stream; charset=utf-8').send(stream.body);
}
