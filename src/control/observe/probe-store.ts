import { ControlError } from '../control-error.ts';
import type { ControlTools } from '../control-route.ts';

/**
 * Reads a table's name, so that a store that has failed or is gone shows; leaves nothing behind. Gives the names of the
 * accounts whose data could not be read so far. Throws ControlError.
 */
export async function probeStore({
  store,
  accountNames,
}: Pick<ControlTools, 'store' | 'accountNames'>): Promise<readonly string[]> {
  try {
    const damaged = await store.check();
    const [first = ''] = await accountNames();
    // An account that was never used has nothing to read, and gets no data by being probed.
    if (await store.exists(first)) await store.account(first).listTables({ limit: 1 });
    return damaged;
  } catch (cause) {
    throw new ControlError('StoreFailed', 'The data cannot be read; the log of the emulator says why.', { cause });
  }
}
