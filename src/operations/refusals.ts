import { ServiceError } from '../model/service-error.ts';
import type { ApplyOutcome, MutationRefusal } from '../storage/store.ts';

/** What the service says to an operation on a table that is not there. Evidence: recorded. */
export function tableNotFound(): ServiceError {
  return new ServiceError('TableNotFound', { stage: 'parse' });
}

export function resourceNotFound(): ServiceError {
  return new ServiceError('ResourceNotFound');
}

/** The refusal that belongs to a store's outcome. */
export function refusalOf(outcome: Exclude<ApplyOutcome['kind'], 'applied'>): ServiceError {
  return outcome === 'tableMissing' ? tableNotFound() : mutationRefusal(outcome);
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
