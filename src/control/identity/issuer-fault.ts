import { IssuerRefusal } from '../../identity/issuer.ts';
import { PrivateFileFault } from '../../identity/private-files.ts';
import { IdentityStateFault } from '../../identity/state-in-force.ts';
import { StoreUnavailable } from '../../storage/store-unavailable.ts';
import { ControlError } from '../control-error.ts';
import type { ControlTools } from '../control-route.ts';

/** An error of the issuer as an error of the control plane. A failure not caused by a client goes to the log. */
export function issuerFault(error: unknown, { onInternalError }: Pick<ControlTools, 'onInternalError'>): ControlError {
  if (error instanceof ControlError) return error;
  if (error instanceof IssuerRefusal) return new ControlError(error.code, error.message);
  onInternalError(error);
  if (error instanceof PrivateFileFault || error instanceof IdentityStateFault || error instanceof StoreUnavailable) {
    return new ControlError('StoreFailed', 'The keys of the issuer cannot be used; the log of the emulator says why.');
  }
  return new ControlError('InternalError', 'The emulator failed; its log says why.');
}
