import type { Clock } from '../model/clock.ts';
import type { KeyRange } from '../model/key-range.ts';
import type { FilterReader } from '../query/read-filter.ts';
import type { AccountStore } from '../storage/store.ts';
import type { Replica } from './get-table-service-stats.ts';

/** What queries work with beside the store. */
export interface QueryTools {
  readonly filters: FilterReader;
  readonly pageBoundaries: PageBoundaries;
}

/**
 * Where a page may end before it is full. The service ends pages at the boundaries between its servers, which nobody can
 * foresee; `partition` ends them with every partition, so that a client meets short and empty pages with a continuation.
 */
export type PageBoundaries = 'none' | 'partition';

/** What every operation is given. */
export interface OperationContext extends QueryTools {
  readonly store: AccountStore;
  readonly clock: Clock;
  readonly replica: Replica;
  /** The entities that the caller may see; undefined for all. */
  readonly range: KeyRange | undefined;
}
