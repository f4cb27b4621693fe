import { expect } from 'vitest';
import type { EntityRecord } from '../../../src/model/entity.ts';
import { entityUnits } from '../../../src/model/entity-units.ts';
import type { Visit } from '../../../src/storage/store.ts';

/**
 * The maximum number of parts of a visit. At most sixteen partitions are large. A part may begin at each large
 * partition, and another part may begin directly after each large partition. All other partitions together may begin at
 * most sixteen more parts.
 */
const partsMax = 48;

/** Compares a reported visit with the visit that the contract requires. */
export function expectVisit(visit: Visit, entities: readonly EntityRecord[]): void {
  const byPartition = new Map<string, number>();
  for (const entity of entities) {
    byPartition.set(entity.partitionKey, (byPartition.get(entity.partitionKey) ?? 0) + entityUnits(entity));
  }
  const units = [...byPartition.values()].reduce((sum, held) => sum + held, 0);
  const isLarge = (held: number): boolean => held >= units / 16;
  const { parts, ...rest } = visit;
  expect(rest).toEqual({ partitionKey: entities[0]?.partitionKey ?? '', entities: entities.length, units });
  const starts = parts.map(({ partitionKey }) => partitionKey);
  const large = [...byPartition].filter(([, held]) => isLarge(held)).map(([partitionKey]) => partitionKey);
  expect(starts).toEqual(expect.arrayContaining(large));
  expect(starts.length).toBeLessThanOrEqual(partsMax);
  const expected = new Map<string, { partitionKey: string; units: number; partitionUnits: number }>();
  let part = { partitionKey: '', units: 0, partitionUnits: 0 };
  for (const [partitionKey, held] of byPartition) {
    if (starts.includes(partitionKey)) {
      part = { partitionKey, units: 0, partitionUnits: isLarge(held) ? held : 0 };
      expected.set(partitionKey, part);
    }
    part.units += held;
  }
  expect(parts).toEqual([...expected.values()]);
}
