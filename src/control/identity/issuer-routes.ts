// The routes for identity libraries: documents, tokens, managed identity. These routes need no control token, because
// no library can send a control token. A secret, an assertion or a header protects the tokens. Host and Origin are
// checked, as on other routes.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ControlRoute, ControlTools } from '../control-route.ts';
import { type IssuerCall, identityOf } from './identity-of.ts';

type Answers = typeof import('./issuer-answers.ts');

const below = '/_emulator/identity';
const formBytesMax = 65_536;

/** After the tenant, the segments of these paths are the same as at Microsoft Entra. */
export function issuerRoutes(tools: ControlTools): readonly ControlRoute[] {
  const route = (path: string, answer: Exclude<keyof Answers, 'answerRefusal'>): ControlRoute => ({
    method: 'GET',
    url: `${below}${path}`,
    isPublic: true,
    handler: async (request, reply) => (await loadAnswers())[answer](callOf(request, reply, tools)),
    errorHandler: (error, request, reply) => void refuse(error, { request, reply, tools }),
  });
  const token = (path: string): ControlRoute => ({
    ...route(path, 'answerToken'),
    method: 'POST',
    takesForm: true,
    bodyLimit: formBytesMax,
  });
  return [
    route('/:tenant/.well-known/openid-configuration', 'answerConfiguration'),
    route('/:tenant/v2.0/.well-known/openid-configuration', 'answerConfiguration'),
    route('/:tenant/discovery/v2.0/keys', 'answerKeys'),
    token('/:tenant/oauth2/token'),
    token('/:tenant/oauth2/v2.0/token'),
    route('/metadata/identity/oauth2/token', 'answerImds'),
    route('/msi/token', 'answerAppService'),
  ];
}

const loadAnswers = (): Promise<Answers> => import('./issuer-answers.ts');

function callOf(request: FastifyRequest, reply: FastifyReply, tools: ControlTools): IssuerCall {
  return { request, reply, tools, identity: identityOf(tools) };
}

interface Refused extends Omit<IssuerCall, 'identity'> {}

async function refuse(error: Error, { request, reply, tools }: Refused): Promise<void> {
  try {
    (await loadAnswers()).answerRefusal(error, { request, reply, tools });
  } catch (unexpected) {
    tools.onInternalError(unexpected);
    void reply.code(500).send({ error: { code: 'InternalError', message: 'The emulator failed; its log says why.' } });
  }
}
