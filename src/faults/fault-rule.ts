// What the service can be made to do wrong, and for which requests. A rule is plain data: what POST /_emulator/faults takes, a
// file of rules holds, and `emulator.faults.add` gets. Imports nothing but types: it is part of the library's declarations.

import type { ErrorCode } from '../model/error-catalogue.ts';

/** One fault, and the requests that it strikes. */
export interface FaultRule {
  /** At most 64 characters. The log and the header `x-emulator-fault` show it; without one, the rule's id. */
  readonly name?: string;
  /** Which requests it is about. Default: all that can meet its fault. */
  readonly match?: FaultMatch;
  /** Which of them it strikes. Default: each. */
  readonly when?: FaultWhen;
  /** How often it strikes at most. Default: without a bound. */
  readonly times?: number;
  readonly fault: Fault;
}

/**
 * Each member is a pattern, in which `*` stands for any text. A request that has no value for a member does not match it, not even
 * by `*`. A table's name matches in any case.
 */
export interface FaultMatch {
  /** The name in the log, such as `InsertEntity`. */
  readonly operation?: string;
  readonly account?: string;
  readonly table?: string;
  readonly partitionKey?: string;
  readonly rowKey?: string;
  readonly userAgent?: string;
  /** `key`, `accountSas` or `tableSas`. */
  readonly credential?: string;
}

/** `nth`, `first` and `every` count the requests that match, from 1, in the order of arrival. */
export type FaultWhen =
  | { readonly nth: number }
  | { readonly first: number }
  | { readonly every: number }
  /** From 0 to 1: decided by seed, rule and request, and not by the order of the requests. */
  | { readonly probability: number };

export type Fault =
  | ErrorFault
  | TimeoutFault
  | ResetFault
  | HangFault
  | DelayFault
  | DripFault
  | TruncateFault
  | ShortPageFault
  | ExpireContinuationFault
  | StaleFault;

export type FaultKind = Fault['kind'];

/** Before the operation is carried out, or after its writes are committed. Default: before. */
export type FaultPlace = 'beforeCommit' | 'afterCommit';

/** An error of the service; nothing is written. */
export interface ErrorFault {
  readonly kind: 'error';
  readonly code: ErrorCode;
  /** That of the code, which may be left out. */
  readonly status?: number;
  /** Adds the header `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** Of an EntityGroupTransaction: the 0-based index of the operation that fails, and with it all of them. */
  readonly failedAt?: number;
}

/** 500 OperationTimedOut, and the write is done or not. */
export interface TimeoutFault {
  readonly kind: 'timeout';
  readonly at?: FaultPlace;
  /** How long the response takes. Default: none. */
  readonly ms?: number;
}

/** The connection is reset. */
export interface ResetFault {
  readonly kind: 'reset';
  readonly at?: FaultPlace | 'midBody';
}

/** No response until the client gives up. */
export interface HangFault {
  readonly kind: 'hang';
  readonly at?: FaultPlace;
}

/** The request waits before it is carried out: always as long, or with this median and this 99th percentile. */
export type DelayFault =
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'delay'; readonly p50Ms: number; readonly p99Ms: number };

/** The body of the response comes slowly. */
export interface DripFault {
  readonly kind: 'drip';
  readonly bytesPerSecond: number;
}

/** The body of the response breaks off after so many bytes, and the connection is closed. */
export interface TruncateFault {
  readonly kind: 'truncate';
  readonly bytes: number;
}

/** The page of a query has at most so many entities, and a continuation. */
export interface ShortPageFault {
  readonly kind: 'shortPage';
  readonly entities: number;
}

/** The continuation of a query is refused: 400 InvalidInput. */
export interface ExpireContinuationFault {
  readonly kind: 'expireContinuation';
}

/** Reads of the secondary see the data as it was. */
export interface StaleFault {
  readonly kind: 'stale';
  /** They see a moment that is at most this and a second ago. */
  readonly ms: number;
}

/** A rule in force, with what it did. */
export interface FaultRuleReport extends FaultRule {
  readonly id: string;
  /** Requests that it struck. */
  readonly hits: number;
  /** Requests that it matched, struck or not. */
  readonly matched: number;
}

export const rulesMax = 100;
export const nameCharsMax = 64;
export const delayMsMax = 600_000;

/** Where a fault acts, for those that have a choice. */
export const placeOf = (fault: Fault): FaultPlace | 'midBody' => ('at' in fault && fault.at) || 'beforeCommit';

/** Whether the client gets something else than the response of the service, so that the request tells nothing of how it is used. */
export function isStagedOutcome({ kind }: Pick<Fault, 'kind'>): boolean {
  return kind !== 'delay' && kind !== 'drip' && kind !== 'shortPage' && kind !== 'stale';
}
