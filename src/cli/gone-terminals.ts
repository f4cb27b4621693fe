import { closeSync, fstatSync } from 'node:fs';
import { isatty } from 'node:tty';

/**
 * Closes the descriptors of a terminal that no longer exists. Call this function on the event `exit`. If such a
 * descriptor stays open, Node aborts at exit, because node::ResetStdio cannot restore the settings of the terminal.
 * Node skips closed descriptors.
 */
export function closeGoneTerminals(): void {
  if (process.platform === 'win32') return;
  for (const descriptor of [0, 1, 2]) {
    if (!isatty(descriptor) && fstatSync(descriptor).isCharacterDevice()) closeSync(descriptor);
  }
}
