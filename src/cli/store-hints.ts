import type { StoreUnavailable, StoreUnavailableReason } from '../storage/store-unavailable.ts';

/** What is wrong with the data and what to do about it, in one line. `store` is the address of the database, if there is one. */
export function explainUnavailable({ message, reason }: StoreUnavailable, store: string | undefined): string {
  const hint = (store === undefined ? folderHints : databaseHints)[reason];
  return hint === undefined ? message : `${message} ${hint}`;
}

type Hints = Readonly<Partial<Record<StoreUnavailableReason, string>>>;

const folderHints: Hints = {
  unwritable: 'Choose another folder with --location, or keep nothing with --inMemoryPersistence.',
  locked: 'Stop the other process, or choose another folder with --location.',
  newer: 'Update tanzanite, or choose another folder with --location.',
  damaged: 'Restore the file from a copy, or choose another folder with --location. Nothing was changed.',
  foreign: 'Choose another folder with --location. Nothing was changed.',
  driverMissing: 'Then start again.',
};

/** The other messages say it themselves. */
const databaseHints: Hints = {
  newer: 'Update tanzanite, or choose another database with --store.',
  foreign: 'Choose another database with --store. Nothing was changed.',
};
