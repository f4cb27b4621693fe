import { resolve } from 'node:path';
import type { DataOptions } from './data-settings.ts';
import { withoutPassword } from './store-address.ts';

/**
 * Describes where the data is: a folder, or the address of a database without its passwords. Returns undefined if the
 * data is in memory.
 */
export function describePlace({ location, store }: Pick<DataOptions, 'location' | 'store'>): string | undefined {
  if (store !== undefined) return withoutPassword(store) ?? '(secret)';
  return location === undefined ? undefined : resolve(location);
}
