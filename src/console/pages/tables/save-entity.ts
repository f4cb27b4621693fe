import { ServiceRefusal } from '../../../data/table-client.ts';
import { getEntity, insertEntity, updateEntity } from '../../client/data-plane.ts';
import type { Entity, WrittenEntity } from '../../client/edm.ts';

export interface SaveOrder {
  readonly account: string;
  readonly table: string;
  readonly entity: WrittenEntity;
  /** The stored entity that it replaces, if it still has this ETag; without one, the entity is inserted. */
  readonly before: Entity | undefined;
}

export type SaveOutcome =
  | { readonly kind: 'written'; readonly entity: Entity }
  /** Another program wrote it since. */
  | { readonly kind: 'conflict'; readonly theirs: Entity }
  /** Another program deleted it since. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'refused'; readonly error: unknown };

/** Writes an entity whole. Does not throw. */
export async function saveEntity({ account, table, entity, before }: SaveOrder): Promise<SaveOutcome> {
  try {
    if (before) await updateEntity(account, table, { entity, mode: 'replace', etag: before.etag });
    else await insertEntity(account, table, entity);
    return { kind: 'written', entity: await getEntity(account, table, entity) };
  } catch (error) {
    if (!(error instanceof ServiceRefusal) || !before) return { kind: 'refused', error };
    if (error.code === 'ResourceNotFound') return { kind: 'gone' };
    return error.status === 412 ? conflict({ account, table, entity }) : { kind: 'refused', error };
  }
}

async function conflict({ account, table, entity }: Omit<SaveOrder, 'before'>): Promise<SaveOutcome> {
  try {
    return { kind: 'conflict', theirs: await getEntity(account, table, entity) };
  } catch (error) {
    if (error instanceof ServiceRefusal && error.code === 'ResourceNotFound') return { kind: 'gone' };
    return { kind: 'refused', error };
  }
}
