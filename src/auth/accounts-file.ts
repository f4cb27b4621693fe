import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { type Accounts, createReloadingAccounts, parseAccounts } from './accounts.ts';

/** How soon a change of the file is seen. */
const changeSeenMs = 1_000;

export interface AccountsFile {
  readonly accounts: Accounts;
  /** Stops looking at the file. */
  close(): void;
}

/**
 * Accounts in a file, in the form of `AZURITE_ACCOUNTS`: read again when it changes, so that keys rotate without a restart.
 * Throws an Error that says what is wrong with the file at first; later the accounts stay as they were.
 */
export function openAccountsFile(file: string, onUnreadable: (error: unknown) => void): AccountsFile {
  const accounts = createReloadingAccounts({ read: () => parseAccounts(readFileSync(file, 'utf8')), onUnreadable });
  const reload = (): void => void accounts.reload();
  watchFile(file, { interval: changeSeenMs, persistent: false }, reload);
  return { accounts, close: () => unwatchFile(file, reload) };
}
