import type { FastifyReply } from 'fastify';
import type { Advisor } from '../../advisor/advisor.ts';
import { ControlError } from '../control-error.ts';
import type { ControlRoute, ControlTools } from '../control-route.ts';

const mediaTypes = {
  json: 'application/json; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
  sarif: 'application/sarif+json; charset=utf-8',
  junit: 'application/xml; charset=utf-8',
} as const;

type Format = keyof typeof mediaTypes;

const querySchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    format: { type: 'string', enum: Object.keys(mediaTypes) },
    redact: { type: 'string', enum: ['true', 'false'] },
  },
} as const;

const traceSchema = {
  type: 'object',
  required: ['traceId'],
  properties: { traceId: { type: 'string', pattern: '^[0-9a-f]{32}$' } },
} as const;

interface Query {
  readonly format?: Format;
  readonly redact?: 'true' | 'false';
}

/**
 * GET /_emulator/advisor: returns what the design guides say about the requests so far, or about the requests of one
 * trace. DELETE /_emulator/advisor: forgets the requests so far.
 */
export function advisorRoutes(tools: ControlTools): readonly ControlRoute[] {
  const url = '/_emulator/advisor';
  return [
    {
      method: 'GET',
      url,
      schema: { querystring: querySchema },
      handler: async ({ query }, reply) => sendReport(advisorIn(tools), { query: query as Query, reply }),
    },
    {
      method: 'GET',
      url: `${url}/traces/:traceId`,
      schema: { params: traceSchema },
      handler: async ({ params }) => advisorIn(tools).findingsOfTrace((params as { readonly traceId: string }).traceId),
    },
    {
      method: 'DELETE',
      url,
      async handler(_request, reply) {
        advisorIn(tools).clear();
        return reply.code(204).send();
      },
    },
  ];
}

/** Throws AdvisorOff. */
export function advisorIn({ advisor }: Pick<ControlTools, 'advisor'>): Advisor {
  if (advisor) return advisor;
  throw new ControlError('AdvisorOff', 'The emulator was started with --no-advisor.');
}

async function sendReport(
  advisor: Advisor,
  { query: { format = 'json', redact }, reply }: { readonly query: Query; readonly reply: FastifyReply },
): Promise<FastifyReply> {
  const report = await advisor.report({ redactsValues: redact === 'true' });
  // Loaded by the first request, like the rules.
  const { renderReport } = await import('../../advisor/render-report.ts');
  return reply.type(mediaTypes[format]).send(renderReport(report, format));
}
