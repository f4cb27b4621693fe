import { type ErrorCode, errorCatalogue } from './error-catalogue.ts';

/**
 * The stage at which a request is refused. At `frontEnd`, the request has not reached the table service yet. At
 * `route`, the address turns out to name nothing. At `parse`, the request is read. At `execute`, the request is carried
 * out. The stage determines the form of the response: only a refusal at `execute` has the header Cache-Control.
 * Evidence: recorded.
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
 * A part of a text. The positions count UTF-16 units from 0, and `end` is the position after the last unit. If `end`
 * equals `start`, the part is empty: a place between two characters.
 */
export interface TextPlace {
  readonly start: number;
  readonly end: number;
}

/**
 * Sentences that say what was wrong with the request, with the cause first. If the value is a function, it is called
 * only when the sentences are read.
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
   * What was wrong with this request: one sentence per item, with the cause first. Empty if `message` says everything.
   * The sentences are for the developer who runs the emulator. They are not part of `message`, because `message` is
   * Azure's text. A sentence may quote the request and stored data, but never contains an account key or a signature.
   */
  get why(): readonly string[] {
    if (this.#why === undefined) return [];
    // The result is kept, because the header and the log both read it. Calling the function again would be expensive:
    // to explain one wrong signature, the function computes a hundred other signatures.
    if (typeof this.#why === 'function') this.#why = this.#why();
    if (typeof this.#why === 'string') return [this.#why];
    return this.#why;
  }
}

/**
 * Returns the refusal of a body, a value or a type that the service cannot read. Evidence: recorded (go-aztables,
 * TestAddEntity).
 */
export function unreadableInput(why: Why): ServiceError {
  return new ServiceError('InvalidInput', {
    stage: 'parse',
    message: 'An error occurred while processing this request.',
    why,
  });
}

/**
 * Returns the refusal of a filter or of the keys in an address. `message` is in the words of ODataLib, because the
 * service passes the messages of ODataLib on to the client.
 */
export function odataError(message: string, place?: TextPlace): ServiceError {
  return new ServiceError('InvalidInput', { stage: 'parse', message, ...(place && { place }) });
}

/**
 * Returns the refusal of an address with a wrong number of keys. `type` is the type of the entities: `account.table`.
 * Evidence: recorded (net-tables, ThrowsWithTableNameInUri).
 */
export function keyCountError(type: string, why?: Why): ServiceError {
  const message = `The number of keys specified in the URI does not match number of key properties for the resource '${type}'.`;
  return new ServiceError('InvalidInput', { stage: 'parse', message, ...(why === undefined ? {} : { why }) });
}

/** The refusal of an address that the service cannot read. Evidence: sdk (CloudStub.AzureDataTables.Tests). */
export function querySyntaxError(why: Why): ServiceError {
  return new ServiceError('InvalidInput', { stage: 'parse', message: 'Bad Request - Error in query syntax.', why });
}
