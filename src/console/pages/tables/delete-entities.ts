// Deletes entities by transactions, each of one partition and at most 100 operations.

import { ServiceRefusal } from '../../../data/table-client.ts';
import { changesetOperationsMax } from '../../../model/limits.ts';
import { sendDelete } from '../../client/data-plane.ts';
import type { ShownEntity } from '../../client/edm.ts';
import { runTransaction } from '../../client/table-client.ts';
import { entityId } from '../../components/grid/selection.ts';

export interface DeleteOrder {
  readonly account: string;
  readonly table: string;
  readonly entities: readonly ShownEntity[];
  /** Whether to delete entities that changed since they were read. */
  readonly isForced: boolean;
  readonly signal: AbortSignal;
  /** Called with the number of entities tried so far. */
  readonly onProgress: (tried: number) => void;
}

export interface DeleteOutcome {
  /** Ids of entities that are gone, by this or by another program. */
  readonly gone: ReadonlySet<string>;
  readonly kept: readonly KeptEntity[];
}

export interface KeptEntity {
  readonly entity: ShownEntity;
  readonly reason: unknown;
}

/**
 * Deletes entities in transactions. If the service refuses one operation, it refuses the transaction. The entities of
 * this transaction are then deleted one by one. Of these entities, only those that the service refuses to delete
 * remain.
 */
export async function deleteEntities(order: DeleteOrder): Promise<DeleteOutcome> {
  const { account, table, isForced, signal, onProgress } = order;
  const gone = new Set<string>();
  const kept: KeptEntity[] = [];
  let tried = 0;
  for (const entities of transactionsOf(order.entities)) {
    if (signal.aborted) break;
    try {
      const parts = entities.map((entity) => ({
        method: 'DELETE' as const,
        key: entity,
        etag: etagOf(entity, isForced),
      }));
      await runTransaction(account, table, parts);
      for (const entity of entities) gone.add(entityId(entity));
    } catch (error) {
      if (!(error instanceof ServiceRefusal)) throw error;
      for (const entity of entities) {
        const reason = await refusalOfDelete(account, table, { entity, isForced });
        if (reason === undefined) gone.add(entityId(entity));
        else kept.push({ entity, reason });
      }
    }
    tried += entities.length;
    onProgress(tried);
  }
  return { gone, kept };
}

const etagOf = ({ etag }: ShownEntity, isForced: boolean): string => (isForced || etag === '' ? '*' : etag);

function transactionsOf(entities: readonly ShownEntity[]): readonly (readonly ShownEntity[])[] {
  const partitions = new Map<string, ShownEntity[]>();
  for (const entity of entities) {
    const list = partitions.get(entity.partitionKey);
    if (list) list.push(entity);
    else partitions.set(entity.partitionKey, [entity]);
  }
  return [...partitions.values()].flatMap((list) => {
    const count = Math.ceil(list.length / changesetOperationsMax);
    return Array.from({ length: count }, (_, at) =>
      list.slice(at * changesetOperationsMax, (at + 1) * changesetOperationsMax),
    );
  });
}

/** Undefined if the entity is gone, no matter which program deleted it. */
async function refusalOfDelete(
  account: string,
  table: string,
  { entity, isForced }: { readonly entity: ShownEntity; readonly isForced: boolean },
): Promise<unknown> {
  try {
    await sendDelete(account, table, { key: entity, etag: etagOf(entity, isForced) });
    return undefined;
  } catch (error) {
    return error instanceof ServiceRefusal && error.status === 404 ? undefined : error;
  }
}
