import type { Cancel, MachineTime } from '../model/time.ts';
import { readKeyFile } from './key-file.ts';

const pollIntervalMs = 1_000;

export interface PolledFile {
  /** Stops watching the file. */
  close(): void;
}

export interface PollOptions {
  readonly time: MachineTime;
  /** Receives the text at first and after each change. Throws an Error for a text that cannot be used. */
  readonly take: (text: string) => void;
  /** Runs once each time the file becomes unreadable or unusable. */
  readonly onUnusable: (error: unknown) => void;
}

/**
 * Reads a file of settings immediately and again every second, so that changes take effect without a restart. If the
 * file cannot be read immediately, or if its first text cannot be used, throws an Error that says what is wrong.
 */
export function pollFile(file: string, { time, take, onUnusable }: PollOptions): PolledFile {
  let text: string | undefined = readKeyFile(file).toString();
  take(text);

  // Compares the texts, because modification times are too coarse, and a file watcher misses changes that are made
  // before the watcher starts.
  const poll = (): void => {
    cancel = time.after(pollIntervalMs, poll);
    const before = text;
    try {
      text = readKeyFile(file).toString();
    } catch (error) {
      text = undefined;
      if (before !== undefined) onUnusable(error);
      return;
    }
    if (text === before) return;
    try {
      take(text);
    } catch (error) {
      onUnusable(error);
    }
  };
  let cancel: Cancel = time.after(pollIntervalMs, poll);
  return { close: () => cancel() };
}
