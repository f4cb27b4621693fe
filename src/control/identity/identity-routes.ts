// The routes with which people and tests manage the issuer's principals, keys and issued tokens. The guard of the
// control plane protects these routes.

import { ControlError } from '../control-error.ts';
import type { ControlRoute, ControlTools } from '../control-route.ts';
import type { PrincipalRequest, TokenRequestBody } from './identity-actions.ts';
import { identityWith } from './running-identity.ts';

const url = '/_emulator/identity';

const role = {
  anyOf: [
    { type: 'string', minLength: 1, maxLength: 200 },
    {
      type: 'object',
      additionalProperties: false,
      required: ['role'],
      properties: {
        role: { type: 'string', minLength: 1, maxLength: 200 },
        account: { type: 'string', minLength: 1, maxLength: 200 },
        table: { type: 'string', minLength: 1, maxLength: 200 },
      },
    },
  ],
} as const;

const principalSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    name: {
      type: 'string',
      minLength: 1,
      maxLength: 100,
      description: 'A name for people to read. The default is `principal`.',
    },
    roles: {
      type: 'array',
      maxItems: 100,
      items: role,
      description: 'The roles of the principal. The default is the roles of every principal without roles.',
    },
  },
} as const;

const tokenSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    clientId: { type: 'string', maxLength: 36, description: 'The principal. Defaults to the default principal.' },
    audience: {
      type: 'string',
      maxLength: 500,
      description: 'The audience. The default is https://storage.azure.com.',
    },
    minutes: {
      type: 'integer',
      minimum: 1,
      maximum: 1440,
      description: 'How many minutes the token is valid. The default is 60.',
    },
  },
} as const;

const environmentSchema = {
  type: 'object',
  additionalProperties: false,
  properties: { clientId: { type: 'string', maxLength: 36 } },
} as const;

export function identityRoutes(tools: ControlTools): readonly ControlRoute[] {
  const identity = identityWith(tools);
  return [
    { method: 'GET', url, handler: () => identity.report() },
    {
      method: 'GET',
      url: `${url}/environment`,
      schema: { querystring: environmentSchema },
      handler: ({ query }) => identity.environment((query as { readonly clientId?: string }).clientId),
    },
    {
      method: 'POST',
      url: `${url}/tokens`,
      schema: { body: tokenSchema },
      handler: ({ body }) => identity.giveToken(body as TokenRequestBody),
    },
    {
      method: 'POST',
      url: `${url}/keys`,
      async handler({ body }) {
        refuseBody(body);
        return identity.rotateKeys();
      },
    },
    {
      method: 'POST',
      url: `${url}/principals`,
      schema: { body: principalSchema },
      handler: ({ body }) => identity.makePrincipal(body as PrincipalRequest),
    },
    {
      method: 'DELETE',
      url: `${url}/principals/:id`,
      handler: ({ params }) => identity.removePrincipal((params as { readonly id: string }).id),
    },
  ];
}

/** A caller cannot choose anything about a new key. */
function refuseBody(body: unknown): void {
  if (body === undefined || body === null) return;
  throw new ControlError('InvalidRequest', 'Send no body: making a key has no options.');
}
