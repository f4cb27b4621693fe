import { UnusableAddress } from '../data/unusable-address.ts';
import { StoreUnavailable } from '../storage/store-unavailable.ts';
import type { StartCommandOptions } from './command-context.ts';
import { explainUnavailable } from './store-hints.ts';

/** Why an emulator did not start and what to do about it, in one line. */
export function explainStartFailure(error: unknown, { store }: StartCommandOptions['settings']): string {
  if (error instanceof StoreUnavailable) return explainUnavailable(error, store);
  if (error instanceof UnusableAddress) return error.text({ port: '--tablePort', host: '--tableHost' });
  return error instanceof Error ? error.message : String(error);
}
