import { entityBytes } from '../model/entity-limits.ts';
import { decodeProperties } from '../model/properties.ts';
import { giveWay, type Schedule, systemSchedule } from '../model/schedule.ts';
import type { ScanPage, Store } from './store.ts';

export interface TableSize {
  readonly entities: number;
  /** Size by the storage team's formula (entityBytes). */
  readonly bytes: number;
  readonly partitions: number;
  /** False if a bound was reached. Then the figures cover only the first entities. */
  readonly isWhole: boolean;
}

export interface MeasureBounds {
  readonly entitiesMax: number;
  readonly bytesMax: number;
  /** Default: the event loop. */
  readonly schedule?: Pick<Schedule, 'nextTurn'>;
}

export interface MeasuredTable {
  readonly account: string;
  readonly table: string;
}

/**
 * Counts the entities of a table until a bound is reached. Resolves with undefined if the table does not exist. The
 * function reads every entity, so it lets other requests run after each page. Rejects in the same cases as `scan`.
 */
export async function measureTable(
  store: Store,
  { account, table }: MeasuredTable,
  { entitiesMax, bytesMax, schedule = systemSchedule }: MeasureBounds,
): Promise<TableSize | undefined> {
  if (!(await store.exists(account))) return undefined;
  let [entities, bytes, partitions] = [0, 0, 0];
  let partitionKey: string | undefined;
  let from: ScanPage['next'];
  do {
    if (from) await giveWay(schedule);
    const limit = Math.min(1_000, entitiesMax - entities);
    const page = await store
      .account(account)
      .scan({ table, range: from ? { from } : {}, limit, bytesMax: 4 * 1_048_576, timeMsMax: 1_000 });
    if (page.kind !== 'page') return undefined;
    for (const entity of page.entities) {
      bytes += entityBytes(entity, decodeProperties(entity.properties));
      if (entity.partitionKey !== partitionKey) partitions += 1;
      partitionKey = entity.partitionKey;
    }
    entities += page.entities.length;
    from = page.next;
  } while (from && entities < entitiesMax && bytes < bytesMax);
  return { entities, bytes, partitions, isWhole: from === undefined };
}

/** Measuring a larger table takes too long. */
const wholeBounds: MeasureBounds = { entitiesMax: 200_000, bytesMax: Number.POSITIVE_INFINITY };

/** The bytes of all entities of a table; null if it is too large, or cannot be read. */
export async function storedBytes(
  store: Store,
  table: MeasuredTable,
  schedule: Pick<Schedule, 'nextTurn'> = systemSchedule,
): Promise<number | null> {
  try {
    const size = await measureTable(store, table, { ...wholeBounds, schedule });
    return size?.isWhole ? size.bytes : null;
  } catch {
    // The store is closed, or its data is damaged, which the log has already reported.
    return null;
  }
}
