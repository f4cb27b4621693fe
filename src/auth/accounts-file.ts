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
 * Accounts in a file, in the form of `AZURITE_ACCOUNTS`. The file is read again when it changes, so that keys rotate without
 * a restart. If the file cannot be read at first, throws an Error that says what is wrong. If it cannot be read later, the
 * accounts stay.
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

/** The accounts of the file if there is one, else the listed accounts. */
export function openAccounts({ accounts, accountsFile, machineTime, log }: AccountsOptions): AccountsFile {
  if (accountsFile !== undefined) {
    // The error does not contain a key.
    return openAccountsFile(accountsFile, {
      time: machineTime,
      onUnreadable: (err) => log?.error({ err, accountsFile }, 'accounts kept as they were'),
    });
  }
  const close = (): void => undefined;
  if (accounts === 'any') return { accounts: createAnyAccounts([developmentAccount.key]), close };
  return { accounts: createAccounts(accounts), close };
}
