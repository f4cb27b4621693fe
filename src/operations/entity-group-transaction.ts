import type { EntityKey } from '../model/entity.ts';
import { changesetOperationsMax } from '../model/limits.ts';
import { quote } from '../model/printable-text.ts';
import { ServiceError } from '../model/service-error.ts';
import type { EntityWrite } from './entity-writes.ts';
import type { OperationContext } from './operation-context.ts';
import { type WriteOutcome, writeEntities } from './write-entity.ts';

/** The writes of one transaction: one table, one partition, each entity at most once. */
export class Changeset {
  readonly writes: EntityWrite[] = [];
  readonly #rowKeys = new Set<string>();

  /**
   * Adds a write. Refusals: InvalidInput after 100 writes, CommandsInBatchActOnDifferentPartitions for a second table
   * or partition, InvalidDuplicateRow for a second write of the same entity. Evidence: recorded; assumed (the error
   * code for a second table).
   */
  add(write: EntityWrite): void {
    const [first] = this.writes;
    if (this.writes.length >= changesetOperationsMax) throw tooManyChanges();
    if (first && !isSameGroup(first, write)) throw otherGroup(first, write);
    if (this.#rowKeys.has(write.mutation.rowKey)) {
      const why = `The row key ${quote(write.mutation.rowKey)} is in the batch twice.`;
      throw new ServiceError('InvalidDuplicateRow', { why });
    }
    this.#rowKeys.add(write.mutation.rowKey);
    this.writes.push(write);
  }
}

function isSameGroup(a: EntityWrite, b: EntityWrite): boolean {
  const partitionOf = ({ mutation }: { mutation: EntityKey }): string => mutation.partitionKey;
  return partitionOf(a) === partitionOf(b) && a.table.toLowerCase() === b.table.toLowerCase();
}

function otherGroup(first: EntityWrite, write: EntityWrite): ServiceError {
  const isOtherTable = first.table.toLowerCase() !== write.table.toLowerCase();
  const [one, other] = isOtherTable
    ? [first.table, write.table]
    : [quote(first.mutation.partitionKey), quote(write.mutation.partitionKey)];
  const why = [
    `It is in the ${isOtherTable ? 'table' : 'partition'} ${other}, but the first write is in ${one}.`,
    'All writes of a batch must be in the same table and partition.',
  ];
  return new ServiceError('CommandsInBatchActOnDifferentPartitions', { why });
}

function tooManyChanges(): ServiceError {
  const message = `The batch request operation exceeds the maximum ${changesetOperationsMax} changes per change set.`;
  return new ServiceError('InvalidInput', { message });
}

/**
 * Applies all writes or none. If a write is refused, returns the refusal of the first refused write, with the index of
 * this write. Throws ServerBusy and OperationTimedOut.
 */
export async function entityGroupTransaction(
  context: OperationContext,
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
