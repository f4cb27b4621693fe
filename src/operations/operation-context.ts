import type { Meter } from '../capacity/meter.ts';
import type { KeyRange } from '../model/key-range.ts';
import type { RequestRecord } from '../model/request-record.ts';
import type { Clock } from '../model/time.ts';
import type { PageBoundaries } from '../query/page-boundaries.ts';
import type { FilterReader } from '../query/read-filter.ts';
import type { AccountStore } from '../storage/store.ts';
import type { Replica } from './get-table-service-stats.ts';

/** Every operation receives this in addition to its input: the account's data, the settings of the service, and the request's limits. */
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
  /** Identifies the request in the capacity model, which is notified when it is answered. */
  readonly request?: object;
  /** Keys of the entities that the caller may see; undefined for all. */
  readonly range: KeyRange | undefined;
  /** What is known about the request; an operation adds what it learns. */
  readonly record: RequestRecord;
  /** Maximum number of entities in a page, if below the service's bound; the page has a continuation then. */
  readonly pageEntitiesMax?: number;
  /**
   * Takes an operation of a batch through a seam, where something other than the service may act. Rejects with the refusal of that
   * operation. Absent if nothing acts.
   */
  readonly passMember?: (place: 'beforeRun' | 'afterCommit', index: number) => Promise<void>;
}
