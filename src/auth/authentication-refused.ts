import type { ErrorCode } from '../model/error-catalogue.ts';
import { ServiceError, type ServiceErrorOptions } from '../model/service-error.ts';

/** Says why, one sentence or text a line. Never names a key or a signature. */
export type Explain = () => readonly string[];

/**
 * A refusal of the caller that can say more than the service does. The explanation is for who runs the emulator:
 * no part of the message, worked out when it is read, and of no cost until then.
 */
export class AuthenticationRefused extends ServiceError {
  readonly #explain: Explain;

  constructor(code: ErrorCode, explain: Explain, options: ServiceErrorOptions = { stage: 'frontEnd' }) {
    super(code, options);
    this.name = 'AuthenticationRefused';
    this.#explain = explain;
  }

  get explanation(): readonly string[] {
    return this.#explain();
  }
}

/** The one answer to everything that is wrong with a signature or with what it covers. */
export function authenticationFailed(explain: Explain): AuthenticationRefused {
  return new AuthenticationRefused('AuthenticationFailed', explain);
}
