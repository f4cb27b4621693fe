import type { StoreUnavailable, StoreUnavailableReason } from '../storage/store-unavailable.ts';

/**
 * Says in one line what is wrong with the data and what to do about it. `store` is the address of the database, if any.
 */
export function explainUnavailable({ message, reason }: StoreUnavailable, store: string | undefined): string {
  const hint = store === undefined ? folderHints[reason] : undefined;
  return hint === undefined ? message : `${message} ${hint}`;
}

/** The messages about a database already include the remedy. */
const folderHints: Readonly<Partial<Record<StoreUnavailableReason, string>>> = {
  unwritable: 'Choose another folder with --location, or keep the data only in memory with --inMemoryPersistence.',
  full: 'Free some space, or choose another folder with --location.',
  locked: 'Use the emulator that already runs on this folder, stop it, or choose another folder with --location.',
  newer: 'Update tanzanite, or choose another folder with --location.',
  damaged: 'Restore the file from a copy, or choose another folder with --location. Nothing was changed.',
  foreign: 'Choose another folder with --location. Nothing was changed.',
  driverMissing: 'Then start again.',
};
