// An engine whose scans take many turns: time passes with every look at the clock.

import { afterEach, beforeEach, vi } from 'vitest';
import type { EntityKey } from '../../../src/model/entity.ts';
import type { Mutation } from '../../../src/model/mutation.ts';
import { ColumnCache } from '../../../src/storage/sqlite/column-cache.ts';
import { SqliteAccountStore } from '../../../src/storage/sqlite/sqlite-account-store.ts';
import { int } from '../query/filters.ts';
import { tableNamed } from './entities.ts';
import { storeTimes } from './manual-clock.ts';
import { openSpoilable } from './spoilable-database.ts';

/** Bounds that end no page. */
export const unbounded = { limit: 100_000, bytesMax: 1 << 30, timeMsMax: 1e9 };

/** Lets time pass in the tests of a file; gives the way to say how much of it. */
export function passTimeWithEveryLook(): (msPerLook: number) => void {
  let msPerLook = 0.6;
  beforeEach(() => {
    let nowMs = 0;
    msPerLook = 0.6;
    vi.spyOn(performance, 'now').mockImplementation(() => {
      nowMs += msPerLook;
      return nowMs;
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  return (ms) => {
    msPerLook = ms;
  };
}

/** An account with the table Pets, which loses transactions as spoilable-database.ts says. */
export async function openPets(bytesMax = 64 << 20): Promise<{ engine: SqliteAccountStore; cache: ColumnCache }> {
  const cache = new ColumnCache(bytesMax);
  const engine = new SqliteAccountStore(openSpoilable(), { ...storeTimes(), cache });
  await engine.createTable(tableNamed('Pets'));
  return { engine, cache };
}

export const numbered = (kind: 'insert' | 'insertOrReplace', key: EntityKey, number: number): Mutation => ({
  kind,
  ...key,
  properties: new Map([['Number', int(number)]]),
});
export const rowKeyAt = (at: number): string => String(at).padStart(4, '0');
