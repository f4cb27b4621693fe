import type { Capacity } from '../capacity/capacity.ts';
import type { FilterReader } from '../query/read-filter.ts';
import type { Store } from '../storage/store.ts';
import type { Traffic } from './traffic.ts';

/** What the routes work with. */
export interface ControlTools {
  readonly store: Store;
  /**
   * Names of the accounts that are configured, as of now; at least one. Where any is, those that were ever used. Rejects with
   * StoreUnavailable where the data is gone.
   */
  readonly accounts: () => Promise<readonly string[]>;
  readonly filters: FilterReader;
  /** Whether pages of queries end with each partition. */
  readonly endsAtPartition: boolean;
  readonly capacity: Capacity;
  readonly traffic: Traffic;
  readonly requestsInFlight: () => number;
  /** Refused since the start because more were in flight than are answered at a time. */
  readonly requestsOverloaded: () => number;
  /** Since the start. */
  readonly uptimeMs: () => number;
  readonly isClosing: () => boolean;
  /** Told of what was emptied: a table, or without one the account and the settings of its service. */
  readonly onReset: (account: string, table?: string) => void;
}
