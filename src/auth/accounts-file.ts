import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { Cancel, MachineTime } from '../model/time.ts';
import { type Accounts, createReloadingAccounts, parseAccounts } from './accounts.ts';

const pollIntervalMs = 1_000;
/** Thousands of accounts. */
const fileBytesMax = 1_048_576;

export interface AccountsFile {
  readonly accounts: Accounts;
  /** Stops watching the file. */
  close(): void;
}

export interface AccountsFileOptions {
  readonly time: MachineTime;
  /** Runs once each time the file becomes unreadable or holds something else than accounts. */
  readonly onUnreadable: (error: unknown) => void;
}

/**
 * Accounts in a file, in the form of `AZURITE_ACCOUNTS`. The file is read again every second, so that keys rotate without a
 * restart. Throws an Error that says what is wrong when the file cannot be read at first; later the accounts stay as they were.
 */
export function openAccountsFile(file: string, { time, onUnreadable }: AccountsFileOptions): AccountsFile {
  let text: string | undefined = readAccountsText(file);
  const accounts = createReloadingAccounts({ read: () => parseAccounts(text ?? ''), onUnreadable });

  // Compares the text itself: modification times are too coarse, and a watcher misses changes before it starts.
  const poll = (): void => {
    cancel = time.after(pollIntervalMs, poll);
    const before = text;
    try {
      text = readAccountsText(file);
    } catch (error) {
      text = undefined;
      if (before !== undefined) onUnreadable(error);
      return;
    }
    if (text !== before) accounts.reload();
  };
  let cancel: Cancel = time.after(pollIntervalMs, poll);
  return { accounts, close: () => cancel() };
}

/** The text of a file of accounts. Throws an Error for what cannot be read, is not a regular file or is too large. */
export function readAccountsText(file: string): string {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer. Windows has no such flag, and no such pipes.
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile()) throw new Error('it is not a regular file');
    if (status.size > fileBytesMax) throw new Error(`it is larger than ${fileBytesMax} bytes`);
    return readBytes(descriptor, status.size).toString('utf8');
  } finally {
    closeSync(descriptor);
  }
}

function readBytes(descriptor: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  let length = 0;
  for (let read = -1; read !== 0 && length < size; length += read) {
    read = readSync(descriptor, bytes, length, size - length, null);
  }
  return bytes.subarray(0, length);
}
