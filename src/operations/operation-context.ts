import type { Meter } from '../capacity/meter.ts';
import type { KeyRange } from '../model/key-range.ts';
import type { RequestRecord } from '../model/request-record.ts';
import type { Clock } from '../model/time.ts';
import type { PageBoundaries } from '../query/page-boundaries.ts';
import type { FilterReader } from '../query/read-filter.ts';
import type { AccountStore } from '../storage/store.ts';
import type { Replica } from './get-table-service-stats.ts';

/**
 * What every operation receives in addition to its input: the account's data, the settings of the service, and the
 * limits of the request.
 */
export interface OperationContext {
  readonly store: AccountStore;
  readonly meter: Meter;
  readonly filters: FilterReader;
  readonly pageBoundaries: PageBoundaries;
  readonly clock: Clock;
  readonly replica: Replica;
  /** How long the request may take. */
  readonly waitMsMax: number;
  /** Whether the client has disconnected. Cheap: may be called often. */
  readonly isAbandoned: () => boolean;
  /** Identifies the request in the capacity model, which is notified when the request is answered. */
  readonly request?: object;
  /** Keys of the entities that the caller may see; undefined if it may see all. */
  readonly range: KeyRange | undefined;
  /** The record of the request. The operation fills in its part. */
  readonly record: RequestRecord;
  /**
   * The maximum number of entities in a page, if it is lower than the service's maximum. A page that ends because of
   * this maximum has a continuation.
   */
  readonly pageEntitiesMax?: number;
  /**
   * Called for each operation of a batch at the places where staged faults or tests can act (src/service/seams.ts).
   * Rejects if a fault or a test refuses the operation. Absent in a run without faults and tests.
   */
  readonly passMember?: (place: 'beforeRun' | 'afterCommit', index: number) => Promise<void>;
}
