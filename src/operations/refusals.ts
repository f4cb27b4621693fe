import type { Meter } from '../capacity/meter.ts';
import { ServiceError } from '../model/service-error.ts';
import type { ApplyOutcome, MutationRefusal, TableAbsence } from '../storage/store.ts';

/** What the service says to an operation on a table that is not there. Evidence: recorded. */
export function tableNotFound(): ServiceError {
  return new ServiceError('TableNotFound', { stage: 'parse' });
}

/** Evidence: documented (TableBeingDeleted, for creating and for using). */
export function absentTable(absence: TableAbsence): ServiceError {
  return absence === 'tableMissing' ? tableNotFound() : new ServiceError('TableBeingDeleted');
}

/** As absentTable, and what was counted of the table is dropped. */
export function absentTableOf({ meter }: { meter: Meter }, table: string, absence: TableAbsence): ServiceError {
  meter.forgetAbsentTable(table);
  return absentTable(absence);
}

export function resourceNotFound(): ServiceError {
  return new ServiceError('ResourceNotFound');
}

/** The refusal that belongs to a store's outcome. */
export function refusalOf(outcome: Exclude<ApplyOutcome['kind'], 'applied'>): ServiceError {
  const isAbsent = outcome === 'tableMissing' || outcome === 'tableBeingDeleted';
  return isAbsent ? absentTable(outcome) : mutationRefusal(outcome);
}

function mutationRefusal(outcome: MutationRefusal): ServiceError {
  switch (outcome) {
    case 'exists':
      return new ServiceError('EntityAlreadyExists');
    case 'missing':
      return resourceNotFound();
    case 'stale':
      return new ServiceError('UpdateConditionNotSatisfied');
    case 'tooManyProperties':
      return new ServiceError('TooManyProperties');
    case 'tooLarge':
      return new ServiceError('EntityTooLarge');
  }
}
