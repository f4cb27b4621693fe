import type { EntityKey } from '../model/entity.ts';
import { firstKey, intersectRanges, type KeyRange } from '../model/key-range.ts';
import { pageBytesMax, pageEntitiesMax, pageTimeMsMax } from '../model/limits.ts';
import type { Plan } from '../query/plan.ts';
import type { ScanRequest } from './store.ts';

export interface PageOptions {
  /** First key of the page. */
  readonly from?: EntityKey | undefined;
  /** Maximum number of entities on this page; 0 to 1000. */
  readonly top?: number | undefined;
  readonly endsAtPartition: boolean;
  /** The keys that the caller may read. */
  readonly range?: KeyRange | undefined;
  /** How long the whole request may take. */
  readonly timeMsMax?: number | undefined;
}

/** The request to the store for one page of a query, within the limits of the service. */
export function scanRequest(plan: Plan, options: PageOptions): PlannedScan {
  const { from, top = pageEntitiesMax, endsAtPartition, timeMsMax = pageTimeMsMax } = options;
  const asked = from ? intersectRanges(plan.range, { from }) : plan.range;
  const range = options.range ? intersectRanges(asked, options.range) : asked;
  return {
    // Evidence: recorded: `$top=0` gives no entities and no continuation.
    range: top === 0 ? emptyRange : range,
    filter: plan.residual,
    limit: Math.max(1, Math.min(top, pageEntitiesMax)),
    bytesMax: pageBytesMax,
    // Evidence: assumed: a shorter `timeout` ends the page as five seconds do, with a continuation. Microsoft documents only
    // that a request which takes longer gets 500 OperationTimedOut.
    timeMsMax: Math.min(timeMsMax, pageTimeMsMax),
    endsAtPartition,
  };
}

const emptyRange: KeyRange = { from: firstKey, before: firstKey };

/** What the plan of a query decides. Whoever copies it must copy all of it. */
export type PlannedScan = Required<
  Pick<ScanRequest, 'range' | 'filter' | 'limit' | 'bytesMax' | 'timeMsMax' | 'endsAtPartition'>
>;
