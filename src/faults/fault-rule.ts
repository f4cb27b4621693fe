// Fault rules, which say what goes wrong, and for which requests. A rule is plain data, so POST /_emulator/faults, a
// file of rules and `emulator.faults.add` accept the same rules. This module imports only types, because it is part of
// the library's declarations.

import type { ErrorCode } from '../model/error-catalogue.ts';

/** A fault, and the requests that it affects. */
export interface FaultRule {
  /** At most 64 characters. The log and the header `x-emulator-fault` show it, or the rule's id if there is none. */
  readonly name?: string;
  /** Which requests match. Default: all requests to which the fault can happen. */
  readonly match?: FaultMatch;
  /** Which of the matching requests it affects. Default: all. */
  readonly when?: FaultWhen;
  /** Maximum number of requests that it affects. Default: no limit. */
  readonly times?: number;
  readonly fault: Fault;
}

/**
 * Each member is a pattern, in which `*` matches any text. A request that has no value for a member never matches that
 * member, even if the pattern is `*`. Table names are not case-sensitive.
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
  /** From 0 to 1. Seed, rule and request decide which requests are affected, not the order of the requests. */
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

/** An error of the service. Nothing is written. */
export interface ErrorFault {
  readonly kind: 'error';
  readonly code: ErrorCode;
  /** The status of the code. May be left out. */
  readonly status?: number;
  /** Adds the header `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** For an EntityGroupTransaction: the 0-based index of the operation that fails and makes the transaction fail. */
  readonly failedAt?: number;
}

/** 500 OperationTimedOut. `at` decides whether the write is done. */
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

/** The request waits before it is carried out, for a fixed time or with this median and 99th percentile. */
export type DelayFault =
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'delay'; readonly p50Ms: number; readonly p99Ms: number };

/** The body of the response comes slowly. */
export interface DripFault {
  readonly kind: 'drip';
  readonly bytesPerSecond: number;
}

/** The body of the response breaks off after this many bytes, and the connection is closed. */
export interface TruncateFault {
  readonly kind: 'truncate';
  readonly bytes: number;
}

/** The page of a query has at most this many entities, and a continuation. */
export interface ShortPageFault {
  readonly kind: 'shortPage';
  readonly entities: number;
}

/** The continuation of a query is refused: 400 InvalidInput. */
export interface ExpireContinuationFault {
  readonly kind: 'expireContinuation';
}

/** Reads of the secondary see an earlier state of the data. */
export interface StaleFault {
  readonly kind: 'stale';
  /** The age of the state that the reads see. It may be up to one second older. */
  readonly ms: number;
}

/** A rule in use, with its counts. */
export interface FaultRuleReport extends FaultRule {
  readonly id: string;
  /** Number of requests that the rule affected. */
  readonly hits: number;
  /** Number of requests that the rule matched, affected or not. */
  readonly matched: number;
}

export const rulesMax = 100;
export const nameCharsMax = 64;
export const delayMsMax = 600_000;

/** Where a fault takes effect. */
export const placeOf = (fault: Fault): FaultPlace | 'midBody' => ('at' in fault && fault.at) || 'beforeCommit';

/**
 * Whether the fault gives the client something other than the service's response. A request with such a fault tells
 * nothing about the application.
 */
export function isStagedOutcome({ kind }: Pick<Fault, 'kind'>): boolean {
  return kind !== 'delay' && kind !== 'drip' && kind !== 'shortPage' && kind !== 'stale';
}
