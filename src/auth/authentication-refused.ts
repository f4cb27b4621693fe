import { ServiceError } from '../model/service-error.ts';

/** Returns the reasons, one sentence per item. They never contain a key or a signature. */
export type Explain = () => readonly string[];

/** The service's one response to everything that is wrong with a signature or with what it covers. */
export function authenticationFailed(why: Explain): ServiceError {
  return new ServiceError('AuthenticationFailed', { stage: 'frontEnd', why });
}
