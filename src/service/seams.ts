// Named places on the way of a request where something other than the service may act: faults, and tests. Without seams the list is
// empty, and a request passes none of these places.

import type { RequestRecord } from '../model/request-record.ts';
import type { Cancel } from '../model/time.ts';
import type { OperationContext } from '../operations/operation-context.ts';
import type { Delivery, HttpResponse } from './http-message.ts';

/** Undefined: the request continues. A delivery takes the place of what would have come. */
export type SeamOutcome = Delivery | undefined;
type Passing = SeamOutcome | Promise<SeamOutcome>;

/** Where a seam is, in addition to the record. */
export interface SeamPlace {
  /** 0-based place of an operation of a batch; undefined for the request itself. */
  readonly member: number | undefined;
  /** Whether the client has disconnected. */
  readonly isAbandoned: () => boolean;
  /** Runs the listener when the client has disconnected or the server closes: what waits must end then. Cancelled after that. */
  readonly whenOver: (listener: () => void) => Cancel;
}

/**
 * Each seam may refuse the request (throw a ServiceError, which is answered as the service's own refusals are), delay it
 * (return a promise) or give a delivery in place of what would follow. An absent seam costs nothing.
 */
export interface Seams {
  /** The operation is known, the caller is not. */
  beforeAuthentication?(record: RequestRecord, place: SeamPlace): Passing;
  /**
   * The request is read, authorized and free of errors; the store was not touched. Of a batch, the record has its operations;
   * then each of them passes. A preflight passes before it is answered.
   */
  beforeRun?(record: RequestRecord, place: SeamPlace): Passing;
  /** The request is refused before it is carried out: for overload, its address, its caller or what it holds. */
  beforeRefusal?(record: RequestRecord, place: SeamPlace): Passing;
  /** Changes what the operation works with. */
  inContext?(context: OperationContext): OperationContext | Promise<OperationContext>;
  /** The operation was carried out and its writes are committed; the response is not made. Then each operation of a batch passes. */
  afterCommit?(record: RequestRecord, place: SeamPlace): Passing;
  /** The response is made, be it a success, a refusal, or that of another seam. */
  atSend?(record: RequestRecord, response: HttpResponse): Passing;
}

/** The seams of all requests. The list is replaced and never changed, so that a request passes all places of those it began with. */
export interface SeamList {
  current: readonly Seams[];
}

export const noSeams: readonly Seams[] = Object.freeze([]);

type PlacedSeam = 'beforeAuthentication' | 'beforeRun' | 'beforeRefusal' | 'afterCommit';

/** Passes one place of all seams; the first delivery ends that. */
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

/** A delivery that a seam gave for an operation of a batch: it takes the place of the response to the batch. */
export class GivenInstead extends Error {
  readonly delivery: Delivery;

  constructor(delivery: Delivery) {
    super('a seam gave another delivery');
    this.delivery = delivery;
  }
}
