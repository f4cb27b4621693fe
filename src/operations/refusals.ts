import type { Meter } from '../capacity/meter.ts';
import { etagOf } from '../model/etag.ts';
import { entityBytesMax, propertiesMax } from '../model/limits.ts';
import type { Mutation } from '../model/mutation.ts';
import { ServiceError } from '../model/service-error.ts';
import type { RefusedMutation, TableAbsence } from '../storage/store.ts';

/** Evidence: recorded. */
export function tableNotFound(why?: string): ServiceError {
  return new ServiceError('TableNotFound', { stage: 'parse', ...(why === undefined ? {} : { why }) });
}

/**
 * Returns the refusal of a request to a table that does not exist or is being deleted. Only Create Table distinguishes
 * these two cases. Evidence: sdk (azure-sdk-for-go #10813, AzureStorageExplorer #5201: for reads); assumed for writes
 * and access policies.
 */
export function absentTable(absence: TableAbsence): ServiceError {
  return tableNotFound(absence === 'tableBeingDeleted' ? beingDeleted : undefined);
}

/** Like `absentTable`. It also drops the table's counters from the meter. */
export function absentTableOf({ meter }: { meter: Meter }, table: string, absence: TableAbsence): ServiceError {
  meter.forgetAbsentTable(table);
  return absentTable(absence);
}

const beingDeleted = 'The table was deleted; its name is free again after --table-delete-delay.';

/** The refusal to create a table whose name is not free yet. */
export function tableBeingDeleted(): ServiceError {
  return new ServiceError('TableBeingDeleted', { why: beingDeleted });
}

export function resourceNotFound(why?: string): ServiceError {
  return new ServiceError('ResourceNotFound', why === undefined ? {} : { why });
}

/** The refusal of a mutation by the store. */
export function mutationRefusal({ kind, current }: RefusedMutation, mutation: Mutation | undefined): ServiceError {
  switch (kind) {
    case 'exists':
      return new ServiceError('EntityAlreadyExists');
    case 'missing':
      return resourceNotFound();
    case 'stale':
      return new ServiceError('UpdateConditionNotSatisfied', { why: staleness(current, mutation) });
    case 'tooManyProperties':
      return new ServiceError('TooManyProperties', {
        why: `The merged entity would have more than ${propertiesMax} properties.`,
      });
    case 'tooLarge':
      return new ServiceError('EntityTooLarge', {
        why: `The merged entity would have more than ${entityBytesMax} bytes.`,
      });
  }
}

/** Why If-Match fails. The ETags of an entity differ only in the moment of its last write. */
function staleness(current: string | undefined, mutation: Mutation | undefined): string[] {
  const since =
    mutation && 'ifMatch' in mutation && mutation.ifMatch.kind === 'unchanged' ? mutation.ifMatch.since : '';
  if (current === undefined) return [`If-Match names the write of ${since}; the entity has changed since then.`];
  const order = current > since ? 'It was written again at' : 'Its last write was at';
  return [`${order} ${current}.`, `Its current ETag is ${etagOf(current)}; If-Match has ${etagOf(since)}.`];
}
