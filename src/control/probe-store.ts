import type { Store } from '../storage/store.ts';
import { ControlError } from './control-error.ts';

/** Reads a table's name, so that a store that has failed or is gone shows; leaves nothing behind. Throws ControlError. */
export async function probeStore(store: Store, [first = '']: readonly string[]): Promise<void> {
  try {
    store.check();
    // An account that was never used has nothing to read, and gets no data by being probed.
    await store.find(first)?.listTables({ limit: 1 });
  } catch (cause) {
    throw new ControlError('StoreFailed', 'The data cannot be read; the log of the emulator says why.', { cause });
  }
}
