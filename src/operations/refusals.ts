import type { Meter } from '../capacity/meter.ts';
import { ServiceError } from '../model/service-error.ts';
import type { ApplyOutcome, MutationRefusal, TableAbsence } from '../storage/store.ts';

/** Evidence: recorded. */
export function tableNotFound(): ServiceError {
  return new ServiceError('TableNotFound', { stage: 'parse' });
}

/**
 * A table being deleted is refused as one that does not exist; only Create Table tells them apart. Evidence: sdk
 * (azure-sdk-for-go #10813, AzureStorageExplorer #5201: reads); the same of writes and access policies is assumed.
 */
export function absentTable(_absence: TableAbsence): ServiceError {
  return tableNotFound();
}

/** As `absentTable`; the meter drops its counters of the table. */
export function absentTableOf({ meter }: { meter: Meter }, table: string, absence: TableAbsence): ServiceError {
  meter.forgetAbsentTable(table);
  return absentTable(absence);
}

export function resourceNotFound(): ServiceError {
  return new ServiceError('ResourceNotFound');
}

/** The refusal for an outcome of the store. */
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
