// Where an operation meets the capacity of the service: before it touches the store, so that what is refused has done
// nothing. Evidence: documented (503 server busy, 500 operation timeout); when which of the two comes is assumed.

import type { Demand, Meter } from '../capacity/meter.ts';
import type { Throttled } from '../capacity/throttled.ts';
import { ServiceError } from '../model/service-error.ts';

/** What of the context it takes. */
export interface Metered {
  readonly meter: Meter;
  /** How long the request may take. */
  readonly waitMsMax: number;
  readonly isAbandoned: () => boolean;
}

/** Lets a request pass, now or later. Refusals: ServerBusy, OperationTimedOut. */
export function admit(meter: Meter, demand: Demand): Promise<void> | undefined {
  const outcome = meter.admit(demand);
  if (outcome instanceof Promise) return outcome.then(refuse);
  refuse(outcome);
  return undefined;
}

/** For what is done to tables and not to entities: it counts one for the account. Evidence: assumed. */
export function admitPlainly({ meter, waitMsMax, isAbandoned }: Metered): Promise<void> | undefined {
  return admit(meter, { partitionKey: '', isPinned: false, isWrite: false, units: 1, waitMsMax, isAbandoned });
}

function refuse(throttled: Throttled | undefined): void {
  if (!throttled) return;
  if (throttled.kind === 'timedOut') throw new ServiceError('OperationTimedOut');
  throw throttled.limit === 'account' ? accountBusy() : new ServiceError('ServerBusy');
}

/** Evidence: documented (Versioning for Azure Storage, 2017-04-17); that the front end says it is assumed. */
function accountBusy(): ServiceError {
  return new ServiceError('ServerBusy', {
    stage: 'frontEnd',
    message: 'Operations per second is over the account limit.',
  });
}
