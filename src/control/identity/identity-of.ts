import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Identity } from '../../identity/open-identity.ts';
import { ControlError } from '../control-error.ts';
import type { ControlTools } from '../control-route.ts';

/** A request to the issuer. */
export interface IssuerCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly identity: Identity;
  readonly tools: ControlTools;
}

/** The identity of the emulator. Throws ControlError if there is none. */
export function identityOf({ identity }: Pick<ControlTools, 'identity'>): Identity {
  if (identity) return identity;
  throw new ControlError('IdentityOff', 'The emulator does not issue tokens: start it with --identity.');
}
