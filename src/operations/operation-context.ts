import type { Meter } from '../capacity/meter.ts';
import type { Clock } from '../model/clock.ts';
import type { KeyRange } from '../model/key-range.ts';
import type { PageBoundaries } from '../query/page-boundaries.ts';
import type { FilterReader } from '../query/read-filter.ts';
import type { AccountStore } from '../storage/store.ts';
import type { Replica } from './get-table-service-stats.ts';

/** What queries work with beside the store. */
export interface QueryTools {
  readonly filters: FilterReader;
  readonly pageBoundaries: PageBoundaries;
}

/** What an operation on tables takes of the context. */
export type TableContext = Pick<OperationContext, 'store' | 'meter' | 'waitMsMax' | 'isAbandoned'>;

/** What every operation is given. */
export interface OperationContext extends QueryTools {
  readonly store: AccountStore;
  readonly clock: Clock;
  readonly replica: Replica;
  readonly meter: Meter;
  /** How long the request may take. */
  readonly waitMsMax: number;
  /** Whether nobody waits for the answer any more. Cheap: it may be asked often. */
  readonly isAbandoned: () => boolean;
  /** The entities that the caller may see; undefined for all. */
  readonly range: KeyRange | undefined;
}
