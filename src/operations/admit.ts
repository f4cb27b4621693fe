// Asks the capacity model for permission before an operation touches the store, so that a refused request has changed
// nothing. Evidence: documented (Performance and scalability checklist for Table storage: 503 Server Busy, 500
// Operation Timeout); assumed (which of these two errors is returned).

import { type Admission, type Demand, isRefusal, type Meter, type Refusal } from '../capacity/meter.ts';
import type { CapacityLimit } from '../model/capacity-use.ts';
import type { RequestRecord } from '../model/request-record.ts';
import { ServiceError } from '../model/service-error.ts';
import type { OperationContext } from './operation-context.ts';

/** What admission needs, and the part of the record that it fills. */
interface Admitting {
  readonly meter: Meter;
  readonly record: Pick<RequestRecord, 'capacity'>;
}

/** Admits a request, immediately or later, and records the decision. Refusals: ServerBusy, OperationTimedOut. */
export async function admit({ meter, record }: Admitting, demand: Demand): Promise<Admission> {
  const result = await meter.admit(demand);
  record.capacity = result;
  if (!isRefusal(result)) return result;
  const why = reasonOf(result);
  if (result.outcome === 'timedOut') throw new ServiceError('OperationTimedOut', { why });
  throw result.limit === 'account' ? accountBusy(why) : new ServiceError('ServerBusy', { why });
}

/** Admits an operation that touches no entities. It costs one unit of the account. Evidence: assumed. */
export async function admitTableOperation(context: OperationContext): Promise<void> {
  const { waitMsMax, isAbandoned, request } = context;
  await admit(context, { partitionKey: '', isPinned: false, units: 1, waitMsMax, isAbandoned, request });
}

/**
 * Returns the refusal of a request that is beyond the limit of the account. Evidence: documented (Versioning for Azure
 * Storage, 2017-04-17); assumed (the front end sends this error).
 */
function accountBusy(why: string): ServiceError {
  return new ServiceError('ServerBusy', {
    stage: 'frontEnd',
    message: 'Operations per second is over the account limit.',
    why,
  });
}

const exhausted: Readonly<Record<CapacityLimit, string>> = {
  account: 'The account exceeds its scalability target',
  range: 'The range partition of the table exceeds its scalability target',
  partition: 'The partition exceeds its scalability target',
  moving: 'The range partition is being split or merged',
};

function reasonOf({ limit, waitedMs }: Refusal): string {
  const waited = waitedMs > 0 ? ` after ${(waitedMs / 1000).toFixed(1)} s of waiting` : '';
  return `${exhausted[limit]} (--throttle enforce); refused${waited}. Retry with growing pauses, as the SDKs do.`;
}
