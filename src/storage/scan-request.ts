import type { EntityKey } from '../model/entity.ts';
import { intersectRanges, type KeyRange } from '../model/key-range.ts';
import { pageBytesMax, pageEntitiesMax, pageTimeMsMax } from '../model/limits.ts';
import type { Plan } from '../query/plan.ts';
import type { ScanRequest } from './store.ts';

export interface PageOptions {
  /** First key of the page. */
  readonly from?: EntityKey | undefined;
  /** Entities at most on this page; 0 to 1000. */
  readonly top?: number | undefined;
  readonly endsAtPartition: boolean;
}

/** What one page of a query asks of the store, within the limits of the service. */
export function scanRequest(plan: Plan, { from, top = pageEntitiesMax, endsAtPartition }: PageOptions): ScanRequest {
  const range = from ? intersectRanges(plan.range, { from }) : plan.range;
  return {
    // Evidence: recorded: `$top=0` gives no entities and no continuation.
    range: top === 0 ? emptyRange : range,
    ...(plan.residual && { filter: plan.residual }),
    limit: Math.max(1, Math.min(top, pageEntitiesMax)),
    bytesMax: pageBytesMax,
    timeMsMax: pageTimeMsMax,
    endsAtPartition,
  };
}

const nowhere: EntityKey = { partitionKey: '', rowKey: '' };
const emptyRange: KeyRange = { from: nowhere, before: nowhere };
