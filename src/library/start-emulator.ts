import type { CapacityReport } from '../capacity/capacity-report.ts';
import { runEmulator } from '../emulator.ts';
import { accountAt, type EmulatorAccount } from './account.ts';
import type { EmulatorOptions } from './emulator-options.ts';
import { firstAccount, readOptions } from './read-options.ts';

/** What to empty: an account, a table of the first account, or a table of the account named. */
export interface ResetTarget {
  readonly account?: string;
  readonly table?: string;
}

export interface Emulator extends AsyncDisposable {
  /** Address of the table endpoint without an account, e.g. `http://127.0.0.1:49152`. */
  readonly url: string;
  /** Connection string of the first account, as the Azure SDKs take it. */
  readonly connectionString: string;
  /** Makes an account that nobody has used, with a key of its own: what a test does in it, no other test meets. */
  account(): EmulatorAccount;
  /**
   * Empties everything, an account or a table, as if it were new; accounts stay, with their keys. Rejects with an Error
   * whose `code` is AccountNotFound, TableNotFound or TableBeingDeleted where there is nothing to empty, and StoreFailed for
   * accounts that cannot be emptied; all others are empty then.
   */
  reset(target?: ResetTarget): Promise<void>;
  /** What production would have done to the load so far: what GET /_emulator/capacity answers. */
  capacity(): CapacityReport;
  /** Stops listening, answers what is under way and lets go of the data. May be called again. */
  close(): Promise<void>;
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts an emulator in this process. By default on a free port and in memory, so that tests do not meet.
 * Throws TypeError for options that are unknown, have a value that they cannot have, or contradict each other,
 * StoreUnavailable when the data of `location` or SQLite itself cannot be used, and the system's error when the port is
 * taken.
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const settings = readOptions(options);
  const { url, addAccount, reset, capacity, close } = await runEmulator(settings);
  return {
    url,
    connectionString: accountAt(url, firstAccount(settings)).connectionString,
    account: () => accountAt(url, addAccount()),
    reset: (target = {}) => reset(target),
    capacity,
    close,
    [Symbol.asyncDispose]: close,
  };
}
