// Seams are named places on the path of a request at which faults and tests can act. In an ordinary run, the list of
// seams is empty, and a request passes no seams.

import type { RequestRecord } from '../model/request-record.ts';
import type { Cancel } from '../model/time.ts';
import type { OperationContext } from '../operations/operation-context.ts';
import type { Delivery, HttpResponse } from './http-message.ts';

/** Undefined: the request continues. A delivery replaces whatever would have followed. */
export type SeamOutcome = Delivery | undefined;
type Passing = SeamOutcome | Promise<SeamOutcome>;

/** What a seam is given in addition to the record. */
export interface SeamPlace {
  /** 0-based place of an operation of a batch; undefined for the request itself. */
  readonly member: number | undefined;
  /** Whether the client has disconnected. */
  readonly isAbandoned: () => boolean;
  /**
   * Runs the listener when the client has disconnected or the server closes, so that a waiting seam can stop waiting.
   */
  readonly whenOver: (listener: () => void) => Cancel;
}

/**
 * A seam refuses the request by throwing a ServiceError, which is answered like the service's own refusals. It delays
 * the request by returning a promise. It can also return a delivery that replaces everything that would follow. An
 * absent seam costs nothing.
 */
export interface Seams {
  /** The operation is known. The caller is not authenticated yet. */
  beforeAuthentication?(record: RequestRecord, place: SeamPlace): Passing;
  /**
   * The request is read, authorized and free of errors. The store has not been accessed. The record of a batch lists
   * its operations. A batch passes this seam before its operations do. A preflight passes this seam before the response
   * is made.
   */
  beforeRun?(record: RequestRecord, place: SeamPlace): Passing;
  /** The request is refused before it is carried out, because of overload, its address, its caller or its content. */
  beforeRefusal?(record: RequestRecord, place: SeamPlace): Passing;
  /** Changes the context of the operation. */
  inContext?(context: OperationContext): OperationContext | Promise<OperationContext>;
  /**
   * The operation was carried out and its writes are committed. The response is not made yet. The operations of a batch
   * pass this seam before the batch does.
   */
  afterCommit?(record: RequestRecord, place: SeamPlace): Passing;
  /** The response is made: a success, a refusal, or the response of another seam. */
  atSend?(record: RequestRecord, response: HttpResponse): Passing;
}

/** The seams of all requests. The list is replaced, never changed, so a request passes the same seams from beginning to end. */
export interface SeamList {
  current: readonly Seams[];
}

export const noSeams: readonly Seams[] = Object.freeze([]);

type PlacedSeam = 'beforeAuthentication' | 'beforeRun' | 'beforeRefusal' | 'afterCommit';

/** Calls one place of all seams in order, up to the first that returns a delivery. */
export async function passSeams(
  seams: readonly Seams[],
  name: PlacedSeam,
  { record, place }: { readonly record: RequestRecord; readonly place: SeamPlace },
): Promise<SeamOutcome> {
  for (const seam of seams) {
    const outcome = await seam[name]?.(record, place);
    if (outcome) return outcome;
  }
  return undefined;
}

/** A delivery that a seam returned for an operation of a batch. It replaces the response to the entire batch. */
export class GivenInstead extends Error {
  readonly delivery: Delivery;

  constructor(delivery: Delivery) {
    super('a seam returned another delivery');
    this.delivery = delivery;
  }
}
