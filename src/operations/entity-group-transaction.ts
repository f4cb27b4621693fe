import type { EntityKey } from '../model/entity.ts';
import { changesetOperationsMax } from '../model/limits.ts';
import { ServiceError } from '../model/service-error.ts';
import { type EntityWrite, type WriteContext, type WriteOutcome, writeEntities } from './write-entity.ts';

/** The writes of one transaction: of one table, one partition, and each entity once. */
export class Changeset {
  readonly writes: EntityWrite[] = [];
  readonly #rowKeys = new Set<string>();

  /**
   * Takes one more write. Refusals: InvalidInput beyond 100, CommandsInBatchActOnDifferentPartitions,
   * InvalidDuplicateRow. Evidence: recorded; the code for another table is assumed.
   */
  add(write: EntityWrite): void {
    const [first] = this.writes;
    if (this.writes.length >= changesetOperationsMax) throw tooManyChanges();
    if (first && !isOfOneGroup(first, write)) throw new ServiceError('CommandsInBatchActOnDifferentPartitions');
    if (this.#rowKeys.has(write.mutation.rowKey)) throw new ServiceError('InvalidDuplicateRow');
    this.#rowKeys.add(write.mutation.rowKey);
    this.writes.push(write);
  }
}

function isOfOneGroup(a: EntityWrite, b: EntityWrite): boolean {
  const partitionOf = ({ mutation }: { mutation: EntityKey }): string => mutation.partitionKey;
  return partitionOf(a) === partitionOf(b) && a.table.toLowerCase() === b.table.toLowerCase();
}

function tooManyChanges(): ServiceError {
  const message = `The batch request operation exceeds the maximum ${changesetOperationsMax} changes per change set.`;
  return new ServiceError('InvalidInput', { message });
}

/**
 * Carries out all writes or none. Refusals: those of the first write that is refused, with its index; ServerBusy and
 * OperationTimedOut are thrown.
 */
export async function entityGroupTransaction(
  context: WriteContext,
  writes: readonly EntityWrite[],
): Promise<WriteOutcome> {
  const [first] = writes;
  if (!first) return { kind: 'written', entities: [] };
  return writeEntities(
    context,
    first.table,
    writes.map(({ mutation }) => mutation),
  );
}
