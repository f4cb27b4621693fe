// An engine with scans that take many turns, because every reading of its clock advances the time.

import type { EntityKey } from '../../../../src/model/entity.ts';
import type { Mutation } from '../../../../src/model/mutation.ts';
import { SqliteAccountStore } from '../../../../src/storage/sqlite/account/sqlite-account-store.ts';
import { ColumnCache } from '../../../../src/storage/sqlite/scan/column-cache.ts';
import { tableNamed } from '../../../support/entities.ts';
import { costlyTime, storeTimes } from '../../../support/manual-time.ts';
import { int } from '../../query/filters.ts';
import { openSpoilable } from './spoilable-database.ts';

/** Limits that a page never reaches. */
export const unbounded = { limit: 100_000, bytesMax: 1 << 30, timeMsMax: 1e9 };

/** Opens an account with the table Pets, which can lose transactions like spoilable-database.ts. */
export async function openPets({
  cacheBytesMax = 64 << 20,
  msPerReading = 0.6,
  file,
}: {
  readonly cacheBytesMax?: number;
  readonly msPerReading?: number;
  /** The path of a new file. By default, the account is in memory. */
  readonly file?: string | undefined;
} = {}): Promise<{
  engine: SqliteAccountStore;
  cache: ColumnCache;
}> {
  const cache = new ColumnCache(cacheBytesMax);
  const times = { ...storeTimes(), machineTime: costlyTime({ msPerReading }) };
  const engine = new SqliteAccountStore(openSpoilable(file), { ...times, cache });
  await engine.createTable(tableNamed('Pets'));
  return { engine, cache };
}

export const numbered = (kind: 'insert' | 'insertOrReplace', key: EntityKey, number: number): Mutation => ({
  kind,
  ...key,
  properties: new Map([['Number', int(number)]]),
});
export const rowKeyAt = (at: number): string => String(at).padStart(4, '0');
