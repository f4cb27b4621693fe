// Where an operation meets the capacity of the service: before it touches the store, so that what is refused has done
// nothing. Evidence: documented (503 server busy, 500 operation timeout); when which of the two comes is assumed.

import { type Admission, type Demand, isRefusal, type Meter, type Refusal } from '../capacity/meter.ts';
import { ServiceError } from '../model/service-error.ts';

/** What of the context it takes. */
export interface Metered {
  readonly meter: Meter;
  /** How long the request may take. */
  readonly waitMsMax: number;
  readonly isAbandoned: () => boolean;
}

/** Admits a request, now or later. Refusals: ServerBusy, OperationTimedOut. */
export function admit(meter: Meter, demand: Demand): Admission | Promise<Admission> {
  const result = meter.admit(demand);
  return result instanceof Promise ? result.then(admitted) : admitted(result);
}

/** For what is done to tables and not to entities: it counts one for the account. Evidence: assumed. */
export function admitPlainly({ meter, waitMsMax, isAbandoned }: Metered): Promise<Admission> | undefined {
  const demand = { partitionKey: '', isPinned: false, isWrite: false, units: 1, waitMsMax, isAbandoned };
  const admission = admit(meter, demand);
  return admission instanceof Promise ? admission : undefined;
}

function admitted(result: Admission | Refusal): Admission {
  if (!isRefusal(result)) return result;
  if (result.outcome === 'timedOut') throw new ServiceError('OperationTimedOut');
  throw result.limit === 'account' ? accountBusy() : new ServiceError('ServerBusy');
}

/** Evidence: documented; from 2017-04-17 on. */
function accountBusy(): ServiceError {
  return new ServiceError('ServerBusy', { message: 'Operations per second is over the account limit.' });
}
