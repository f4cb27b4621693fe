// Named places on the way of a request where something other than the service may act: faults, and tests.

import type { RequestRecord } from '../model/request-record.ts';
import type { Delivery, HttpResponse } from './http-message.ts';

/** Undefined: the request continues. A delivery takes the place of what would have come. */
export type SeamOutcome = Delivery | undefined;

/**
 * Each seam may refuse the request (throw a ServiceError, which is answered as the service's own refusals are), delay it
 * (return a promise) or give a delivery in place of what would follow. An absent seam costs nothing.
 */
export interface Seams {
  /** The operation is known, the caller is not. */
  beforeAuthentication?(record: RequestRecord): SeamOutcome | Promise<SeamOutcome>;
  /** The request is read, authorized and free of errors; the store was not touched. */
  beforeRun?(record: RequestRecord): SeamOutcome | Promise<SeamOutcome>;
  /** The operation was carried out and its writes are committed; the response is not made. */
  afterCommit?(record: RequestRecord): SeamOutcome | Promise<SeamOutcome>;
  /** The response is made, be it a success, a refusal, or that of another seam. */
  atSend?(record: RequestRecord, response: HttpResponse): SeamOutcome | Promise<SeamOutcome>;
}
