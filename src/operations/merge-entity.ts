import { sortProperties } from '../model/properties.ts';
import type { EntityChange } from './update-entity.ts';
import type { EntityWrite } from './write-entity.ts';

/** Lays properties over an entity that is there. Refusals: as UpdateEntity; the limits count for what comes out. */
export function mergeEntity({ table, entity, ifMatch }: EntityChange): EntityWrite {
  const properties = sortProperties(entity.properties);
  return { table, mutation: { kind: 'merge', ...entity, properties, ifMatch } };
}
