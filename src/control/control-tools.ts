import type { FilterReader } from '../query/read-filter.ts';
import type { Store } from '../storage/store.ts';

/** What the routes work with. */
export interface ControlTools {
  readonly store: Store;
  /** Names of the accounts that are configured; at least one. */
  readonly accounts: readonly string[];
  readonly filters: FilterReader;
  /** Whether pages of queries end with each partition. */
  readonly endsAtPartition: boolean;
}
