// Whether a rule matches a request. Pure and stateless: rule-list.ts counts.

import { compileGlob, type Glob } from '../model/glob.ts';
import { type Fault, type FaultMatch, type FaultRule, placeOf } from './fault-rule.ts';
import { batchOperationName, traitsOf } from './operation-traits.ts';

/** What the members of `match` are compared with. */
export type MatchedValues = { readonly [Name in keyof FaultMatch]-?: string | undefined };

/** The parts of a request on which rules depend. */
export interface FaultSubject extends MatchedValues {
  readonly operation: string;
  /** Whether the service refuses the request anyway, so that it is not carried out. */
  readonly isRefused: boolean;
  /** Whether the request has the continuation of an earlier page. */
  readonly followsContinuation: boolean;
  readonly isOfSecondary: boolean;
  /** Whether the request continues after a page that a fault emptied. */
  readonly followsEmptyPage?: boolean;
  /** The operations inside a changeset or the query of a batch, in order. */
  readonly members: readonly FaultSubject[];
}

type Fits = (values: MatchedValues) => boolean;

/** Compares the values of a request with the patterns of a rule. */
export function compileMatch(match: FaultMatch = {}): Fits {
  const patterns = Object.entries(match).map(([name, pattern]): [keyof FaultMatch, Glob] =>
    name === 'table' ? [name, anyCase(pattern)] : [name as keyof FaultMatch, compileGlob(pattern)],
  );
  return (values) =>
    patterns.every(([name, fits]) => {
      const value = values[name];
      return value !== undefined && fits(value);
    });
}

/** A pattern that ignores case. Lower case suffices, because letters in table names are ASCII. */
function anyCase(pattern: string): Glob {
  const fits = compileGlob(pattern.toLowerCase());
  return (text) => fits(text.toLowerCase());
}

/** Whether a fault can affect requests for the operation. */
export function canStrike(fault: Fault, operation: string): boolean {
  const { commits = false, pages = false, continues = false, reads = false } = traitsOf(operation);
  switch (fault.kind) {
    case 'shortPage':
      return pages;
    case 'expireContinuation':
      return continues;
    case 'stale':
      return reads;
    case 'error':
      return fault.failedAt === undefined || operation === batchOperationName;
    default:
      return placeOf(fault) !== 'afterCommit' || commits;
  }
}

/** Whether the fault can happen to the request. */
export function canMeet(fault: Fault, subject: FaultSubject): boolean {
  const { operation, isRefused, followsContinuation, isOfSecondary, members } = subject;
  if (!canStrike(fault, operation)) return false;
  switch (fault.kind) {
    case 'shortPage':
      return !isRefused;
    case 'expireContinuation':
      return !isRefused && followsContinuation;
    case 'stale':
      return !isRefused && isOfSecondary;
    case 'error':
      return fault.failedAt === undefined || fault.failedAt < members.length;
    default:
      return placeOf(fault) !== 'afterCommit' || (!isRefused && isWrite(subject));
  }
}

/** Whether a request writes. A batch with a query does not. */
function isWrite({ operation, members }: FaultSubject): boolean {
  return operation !== batchOperationName || members.some((member) => traitsOf(member.operation).commits === true);
}

/** Whether a rule matches a request, for a preview of its effect. */
export function matchesRule({ match, fault }: FaultRule, subject: FaultSubject): boolean {
  return canMeet(fault, subject) && compileMatch(match)(subject);
}
