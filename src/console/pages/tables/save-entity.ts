import { ServiceRefusal } from '../../../data/table-client.ts';
import { fetchEntity, sendInsert, sendUpdate } from '../../client/data-plane.ts';
import type { ShownEntity, WrittenEntity } from '../../client/edm.ts';

export interface SaveOrder {
  readonly account: string;
  readonly table: string;
  readonly entity: WrittenEntity;
  /** The stored entity to replace, provided that it still has this ETag. If undefined, the entity is inserted. */
  readonly before: ShownEntity | undefined;
}

export type SaveOutcome =
  | { readonly kind: 'written'; readonly entity: ShownEntity }
  /** Another program wrote it since. */
  | { readonly kind: 'conflict'; readonly theirs: ShownEntity }
  /** Another program deleted it since. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'refused'; readonly error: unknown };

/** Inserts or replaces an entity. Does not throw. */
export async function saveEntity({ account, table, entity, before }: SaveOrder): Promise<SaveOutcome> {
  try {
    if (before) await sendUpdate(account, table, { entity, mode: 'replace', etag: before.etag });
    else await sendInsert(account, table, entity);
    return { kind: 'written', entity: await fetchEntity(account, table, entity) };
  } catch (error) {
    if (!(error instanceof ServiceRefusal) || !before) return { kind: 'refused', error };
    if (error.code === 'ResourceNotFound') return { kind: 'gone' };
    return error.status === 412 ? conflict({ account, table, entity }) : { kind: 'refused', error };
  }
}

async function conflict({ account, table, entity }: Omit<SaveOrder, 'before'>): Promise<SaveOutcome> {
  try {
    return { kind: 'conflict', theirs: await fetchEntity(account, table, entity) };
  } catch (error) {
    if (error instanceof ServiceRefusal && error.code === 'ResourceNotFound') return { kind: 'gone' };
    return { kind: 'refused', error };
  }
}
