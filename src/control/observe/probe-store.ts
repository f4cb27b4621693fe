import type { StoreCondition } from '../../storage/store.ts';
import { ControlError } from '../control-error.ts';
import type { ControlTools } from '../control-route.ts';

/**
 * Reads the name of a table to detect a store that has failed or is gone. Changes nothing in the store. Returns the
 * condition that the store reports. Throws ControlError.
 */
export async function probeStore({
  store,
  accountNames,
}: Pick<ControlTools, 'store' | 'accountNames'>): Promise<StoreCondition> {
  try {
    const condition = await store.check();
    const [first = ''] = await accountNames();
    // An account that was never used has nothing to read, and a probe must not create data for it.
    if (await store.exists(first)) await store.account(first).listTables({ limit: 1 });
    return condition;
  } catch (cause) {
    throw new ControlError('StoreFailed', 'The data cannot be read; the log of the emulator says why.', { cause });
  }
}
