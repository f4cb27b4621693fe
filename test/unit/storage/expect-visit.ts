import type { EntityRecord } from '../../../src/model/entity.ts';
import { entityUnits } from '../../../src/model/entity-units.ts';
import type { Visit } from '../../../src/storage/store.ts';

/** What is to be told of a stretch, by the words of the contract. */
export function naiveVisit(entities: readonly EntityRecord[]): Visit {
  const byPartition = new Map<string, number>();
  for (const entity of entities) {
    byPartition.set(entity.partitionKey, (byPartition.get(entity.partitionKey) ?? 0) + entityUnits(entity));
  }
  const units = [...byPartition.values()].reduce((sum, held) => sum + held, 0);
  const partitions = [...byPartition]
    .filter(([, held]) => held >= units / 16)
    .map(([partitionKey, held]) => ({ partitionKey, units: held }));
  return { partitionKey: entities[0]?.partitionKey ?? '', entities: entities.length, units, partitions };
}
