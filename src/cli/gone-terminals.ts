import { closeSync, fstatSync } from 'node:fs';
import { isatty } from 'node:tty';

/**
 * Node aborts at exit if the terminal it was started on is gone (node::ResetStdio cannot restore its settings). It skips
 * closed descriptors. For the event `exit`.
 */
export function closeGoneTerminals(): void {
  if (process.platform === 'win32') return;
  for (const descriptor of [0, 1, 2]) {
    if (!isatty(descriptor) && fstatSync(descriptor).isCharacterDevice()) closeSync(descriptor);
  }
}
