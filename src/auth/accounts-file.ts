import { readFileSync } from 'node:fs';
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
 * Throws an Error that says what is wrong with the file at first; later the accounts stay as they were, and whoever listens is
 * told once.
 */
export function openAccountsFile(file: string, onUnreadable: (error: unknown) => void): AccountsFile {
  const readText = (): string => readFileSync(file, 'utf8');
  let text: string | undefined = readText();
  const accounts = createReloadingAccounts({ read: () => parseAccounts(text ?? ''), onUnreadable });

  // The text itself is compared: times have a grain, and a watcher knows nothing of what changed before its own first look.
  const look = (): void => {
    const before = text;
    try {
      text = readText();
    } catch (error) {
      text = undefined;
      if (before !== undefined) onUnreadable(error);
      return;
    }
    if (text !== before) accounts.reload();
  };
  const timer = setInterval(look, changeSeenMs).unref();
  return { accounts, close: () => clearInterval(timer) };
}
