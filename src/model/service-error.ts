import { type ErrorCode, errorCatalogue } from './error-catalogue.ts';

/**
 * The stage at which a request is refused. It determines the form of the response: `frontEnd`, before the request reaches
 * the table service; `route`, if its address names nothing; `parse`, while it is read (no Cache-Control); `execute`,
 * while it is carried out. Evidence: recorded.
 */
export type RefusalStage = 'frontEnd' | 'route' | 'parse' | 'execute';

export interface ServiceErrorOptions {
  readonly stage?: RefusalStage;
  /** Replaces the text of the catalogue. */
  readonly message?: string;
  /** Replaces the status of the catalogue. */
  readonly status?: number;
  readonly why?: Why;
  readonly place?: TextPlace;
  /** The tenant that the challenge of a 401 names, a GUID. */
  readonly tenant?: string | undefined;
}

/**
 * A part of a text, in UTF-16 units from 0. `end` is one past the last unit; a place between two characters has `end`
 * equal to `start`.
 */
export interface TextPlace {
  readonly start: number;
  readonly end: number;
}

/**
 * Sentences that say what was wrong with the request, the cause first. A function is called only when the reason is
 * read.
 */
export type Why = string | readonly string[] | (() => readonly string[]);

/** A refusal in Azure's own words. Every fault in a request is reported as a ServiceError. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly stage: RefusalStage;
  /** The place of the fault in the text that was read, for example in a filter; undefined if unknown. */
  readonly place: TextPlace | undefined;
  /** The tenant whose tokens are accepted; undefined if unknown. */
  readonly tenant: string | undefined;
  #why: Why | undefined;

  constructor(code: ErrorCode, { stage = 'execute', message, status, why, place, tenant }: ServiceErrorOptions = {}) {
    const [usualStatus, text] = errorCatalogue[code];
    super(message ?? text);
    this.name = 'ServiceError';
    this.code = code;
    this.status = status ?? usualStatus;
    this.stage = stage;
    this.place = place;
    this.tenant = tenant;
    this.#why = why;
  }

  /**
   * What was wrong with this request, one sentence per item, the cause first. Empty if `message` says everything. The
   * sentences are for the developer who runs the emulator. They are not part of `message`, which is Azure's text. They
   * may quote the request and the store, but never contain a key or a signature.
   */
  get why(): readonly string[] {
    if (this.#why === undefined) return [];
    // The result is kept: the header and the log both read it, and explaining one signature computes a hundred others.
    if (typeof this.#why === 'function') this.#why = this.#why();
    if (typeof this.#why === 'string') return [this.#why];
    return this.#why;
  }
}

/** The refusal of a body, a value or a type that the service cannot read. Evidence: recorded (go-aztables, TestAddEntity). */
export function unreadableInput(why: Why): ServiceError {
  return new ServiceError('InvalidInput', {
    stage: 'parse',
    message: 'An error occurred while processing this request.',
    why,
  });
}

/** The refusal of a filter or of keys in an address, in the words of ODataLib, which the service passes on to the client. */
export function odataError(message: string, place?: TextPlace): ServiceError {
  return new ServiceError('InvalidInput', { stage: 'parse', message, ...(place && { place }) });
}

/** Evidence: recorded (net-tables, ThrowsWithTableNameInUri). `type` is the type of the entities: `account.table`. */
export function keyCountError(type: string, why?: Why): ServiceError {
  const message = `The number of keys specified in the URI does not match number of key properties for the resource '${type}'.`;
  return new ServiceError('InvalidInput', { stage: 'parse', message, ...(why === undefined ? {} : { why }) });
}

/** The refusal of an address that the service cannot read. Evidence: sdk (CloudStub.AzureDataTables.Tests). */
export function querySyntaxError(why: Why): ServiceError {
  return new ServiceError('InvalidInput', { stage: 'parse', message: 'Bad Request - Error in query syntax.', why });
}
