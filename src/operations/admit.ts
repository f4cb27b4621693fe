// Asks the capacity model before an operation touches the store, so that a refused request has changed nothing. Evidence:
// documented (Performance and scalability checklist for Table storage: 503 Server Busy, 500 Operation Timeout); assumed
// (which of the two is returned).

import type { Demand, Meter } from '../capacity/meter.ts';
import type { Throttled } from '../capacity/throttled.ts';
import { ServiceError } from '../model/service-error.ts';
import type { OperationContext } from './operation-context.ts';

/** Admits a request, at once (undefined) or later. Refusals: ServerBusy, OperationTimedOut. */
export function admit(meter: Meter, demand: Demand): Promise<void> | undefined {
  const outcome = meter.admit(demand);
  if (outcome instanceof Promise) return outcome.then(refuse);
  refuse(outcome);
  return undefined;
}

/** As `admit`, for an operation that touches no entities: one unit of the account. Evidence: assumed. */
export function admitTableOperation({ meter, waitMsMax, isAbandoned }: OperationContext): Promise<void> | undefined {
  return admit(meter, { partitionKey: '', isPinned: false, isWrite: false, units: 1, waitMsMax, isAbandoned });
}

function refuse(throttled: Throttled | undefined): void {
  if (!throttled) return;
  if (throttled.kind === 'timedOut') throw new ServiceError('OperationTimedOut');
  throw throttled.limit === 'account' ? accountBusy() : new ServiceError('ServerBusy');
}

/** Evidence: documented; from 2017-04-17 on. */
function accountBusy(): ServiceError {
  return new ServiceError('ServerBusy', { message: 'Operations per second is over the account limit.' });
}
