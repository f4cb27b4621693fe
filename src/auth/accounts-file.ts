import type { AccountKeys } from '../model/account-keys.ts';
import type { EmulatorLog } from '../model/emulator-log.ts';
import type { MachineTime } from '../model/time.ts';
import { type Accounts, createAccounts, createAnyAccounts, developmentAccount, parseAccounts } from './accounts.ts';
import { pollFile } from './polled-file.ts';

export interface AccountsFile {
  readonly accounts: Accounts;
  /** Stops watching the file. */
  close(): void;
}

export interface AccountsFileOptions {
  readonly time: MachineTime;
  /** Runs once each time the file becomes unreadable or holds something other than accounts. */
  readonly onUnreadable: (error: unknown) => void;
}

/**
 * Reads accounts from a file in the form of `AZURITE_ACCOUNTS`. Reads the file again whenever it changes, so that keys
 * can change without a restart. If the first read fails, throws an Error that says what is wrong. If a later read
 * fails, keeps the accounts of the last successful read.
 */
export function openAccountsFile(file: string, { time, onUnreadable }: AccountsFileOptions): AccountsFile {
  let current = createAccounts([]);
  const { close } = pollFile(file, {
    time,
    take: (text) => {
      current = createAccounts(parseAccounts(text));
    },
    onUnusable: onUnreadable,
  });
  return { accounts: { names: () => current.names(), keysOf: (account) => current.keysOf(account) }, close };
}

/** The settings that say which accounts there are. */
export interface AccountsOptions {
  readonly accounts: readonly AccountKeys[] | 'any';
  /** A file of accounts and keys, in place of `accounts`. */
  readonly accountsFile?: string;
  readonly machineTime: MachineTime;
  readonly log?: EmulatorLog;
}

/** Takes the accounts from `accountsFile` if it is set, and otherwise from `accounts`. */
export function openAccounts({ accounts, accountsFile, machineTime, log }: AccountsOptions): AccountsFile {
  if (accountsFile !== undefined) {
    // The error may be logged: it contains no key.
    return openAccountsFile(accountsFile, {
      time: machineTime,
      onUnreadable: (err) => log?.error({ err, accountsFile }, 'accounts file unusable; accounts stay as they were'),
    });
  }
  const close = (): void => undefined;
  if (accounts === 'any') return { accounts: createAnyAccounts([developmentAccount.key]), close };
  return { accounts: createAccounts(accounts), close };
}
