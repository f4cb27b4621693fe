import { type ErrorCode, errorCatalogue } from './error-catalogue.ts';

/**
 * The stage at which a request is refused. It decides on the form of the response: `frontEnd`, before the request reaches
 * the table service; `route`, if its address names nothing; `parse`, while it is read (no Cache-Control); `execute`,
 * while it is carried out. Evidence: recorded.
 */
export type RefusalStage = 'frontEnd' | 'route' | 'parse' | 'execute';

export interface ServiceErrorOptions {
  readonly stage?: RefusalStage;
  /** Replaces the text of the catalogue. */
  readonly message?: string;
  /** If the code has another status than the catalogue's. */
  readonly status?: number;
}

/** A refusal in the service's own words. Every fault of a request ends in one. */
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

/** The refusal of a body, a value or a type that the service cannot read. Evidence: recorded (go-aztables, TestAddEntity). */
export function unreadableInput(): ServiceError {
  return new ServiceError('InvalidInput', {
    stage: 'parse',
    message: 'An error occurred while processing this request.',
  });
}

/** The refusal of an address that the service cannot read. Evidence: sdk (CloudStub.AzureDataTables.Tests). */
export function querySyntaxError(): ServiceError {
  return new ServiceError('InvalidInput', { stage: 'parse', message: 'Bad Request - Error in query syntax.' });
}
