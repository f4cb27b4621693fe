import { type ErrorCode, errorCatalogue } from './error-catalogue.ts';

/**
 * How far a request had come when it was refused; the service's headers show it (errors.md §3):
 * `frontEnd` before the table service proper saw it, `route` when its address leads nowhere, `parse` while reading it,
 * `execute` while carrying it out.
 */
export type RefusalStage = 'frontEnd' | 'route' | 'parse' | 'execute';

export interface ServiceErrorOptions {
  readonly stage?: RefusalStage;
  /** Where the code has another text than the catalogue's. */
  readonly message?: string;
  /** Where the code has another status than the catalogue's. */
  readonly status?: number;
}

/** A refusal in the service's own words. Everything a client can do wrong ends in one of these. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly stage: RefusalStage;

  constructor(code: ErrorCode, { stage = 'execute', message, status }: ServiceErrorOptions = {}) {
    const [usualStatus, text] = errorCatalogue[code];
    super(message ?? text);
    this.name = 'ServiceError';
    this.code = code;
    this.status = status ?? usualStatus;
    this.stage = stage;
  }
}

/** What the service says of a body, a value or a type it cannot read. Evidence: recorded (go TestAddEntity). */
export function unreadableInput(): ServiceError {
  return new ServiceError('InvalidInput', {
    stage: 'parse',
    message: 'An error occurred while processing this request.',
  });
}

/** What the service says of an address it cannot read. */
export function querySyntaxError(): ServiceError {
  return new ServiceError('InvalidInput', { stage: 'parse', message: 'Bad Request - Error in query syntax.' });
}
