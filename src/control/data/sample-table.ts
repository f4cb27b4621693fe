// Takes a sample of a table's entities. The size of the sample is bounded, whatever the size of the table.

import type { EdmValue } from '../../model/edm.ts';
import type { EntityRecord } from '../../model/entity.ts';
import { hashText } from '../../model/hash-text.ts';
import { pageBytesMax, pageEntitiesMax } from '../../model/limits.ts';
import { decodeProperties } from '../../model/properties.ts';
import { giveWay, type Schedule, systemSchedule } from '../../model/schedule.ts';
import { parseDateTime } from '../../model/ticks.ts';
import type { ScanPage, Store, TableAbsence } from '../../storage/store.ts';

export interface TableSample {
  readonly entities: readonly ReadonlyMap<string, EdmValue>[];
  /** Number of entities that were read. Each of them had the same chance to be in the sample. */
  readonly total: number;
}

export interface SampleBounds {
  readonly entitiesMax: number;
  /** Maximum number of characters in the stored properties. */
  readonly charsMax: number;
  /** Maximum number of entities to read, in key order. */
  readonly readMax: number;
  /** Default: the event loop. */
  readonly schedule?: Pick<Schedule, 'nextTurn'>;
}

/** Lets other requests run after each page. Rejects with the errors of `scan`. */
export async function sampleTable(
  store: Store,
  { account, table }: { readonly account: string; readonly table: string },
  bounds: SampleBounds,
): Promise<TableSample | TableAbsence> {
  const { readMax, schedule = systemSchedule } = bounds;
  const reservoir = new Reservoir(bounds);
  let from: ScanPage['next'];
  do {
    if (from) await giveWay(schedule);
    const page = await store.account(account).scan({
      table,
      range: from ? { from } : {},
      limit: Math.min(pageEntitiesMax, readMax - reservoir.seen),
      bytesMax: pageBytesMax,
      timeMsMax: 1_000,
    });
    if (page.kind !== 'page') return page.kind;
    for (const entity of page.entities) reservoir.add(entity);
    from = page.next;
  } while (from && reservoir.seen < readMax);
  const entities: ReadonlyMap<string, EdmValue>[] = [];
  for (const [at, entity] of reservoir.entities.entries()) {
    if (at % decodedInTurn === 0) await giveWay(schedule);
    entities.push(rowOfEntity(entity));
  }
  return { entities, total: reservoir.seen };
}

const decodedInTurn = 200;

/**
 * A uniform sample of a stream. Whether an entity is chosen depends only on its place in the stream, so responses are
 * repeatable.
 */
class Reservoir {
  seen = 0;
  readonly entities: EntityRecord[] = [];
  readonly #charsMax: number;
  #max: number;
  #chars = 0;

  constructor({ entitiesMax, charsMax }: SampleBounds) {
    this.#max = entitiesMax;
    this.#charsMax = charsMax;
  }

  add(entity: EntityRecord): void {
    const at = this.seen;
    this.seen += 1;
    if (this.entities.length < this.#max) this.#put(this.entities.length, entity);
    else {
      const place = Math.floor((hashText(String(at)) / 2 ** 32) * this.seen);
      if (place < this.#max) this.#put(place, entity);
    }
    while (this.#chars > this.#charsMax && this.entities.length > 1) this.#halve();
  }

  #put(at: number, entity: EntityRecord): void {
    this.#chars += entity.properties.length - (this.entities[at]?.properties.length ?? 0);
    this.entities[at] = entity;
  }

  /** Makes the sample smaller if its entities are large. Each entity still has the same chance. */
  #halve(): void {
    const kept = this.entities.filter((_, at) => hashText(`${this.seen} ${at}`) % 2 === 0);
    this.entities.splice(0, this.entities.length, ...(kept.length > 0 ? kept : this.entities.slice(0, 1)));
    this.#max = this.entities.length;
    this.#chars = this.entities.reduce((sum, { properties }) => sum + properties.length, 0);
  }
}

/** An entity as a row with its keys and Timestamp. */
export function rowOfEntity({
  partitionKey,
  rowKey,
  timestamp,
  properties,
}: EntityRecord): ReadonlyMap<string, EdmValue> {
  const entity: Map<string, EdmValue> = decodeProperties(properties);
  entity.set('PartitionKey', { type: 'Edm.String', value: partitionKey });
  entity.set('RowKey', { type: 'Edm.String', value: rowKey });
  const ticks = parseDateTime(timestamp);
  if (ticks !== undefined) entity.set('Timestamp', { type: 'Edm.DateTime', value: ticks });
  return entity;
}
