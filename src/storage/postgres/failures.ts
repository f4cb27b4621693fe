// Classifies the failures of statements. A failed statement that has changed nothing is repeated or refused. The
// outcome of any other failed statement is unknown.

import { StoreUnavailable } from '../store-unavailable.ts';

/** The connection failed, or the server closed it. */
export class ConnectionFailure extends Error {
  /** Whether a change may have been committed nevertheless. */
  readonly isUncertain: boolean;

  constructor(cause: unknown, { isUncertain }: { readonly isUncertain: boolean }) {
    super(databaseReason(cause), { cause });
    this.isUncertain = isUncertain;
  }
}

/** Classifies the driver's error for a statement: a server error without effect, or a failed connection. */
export function statementFailure(error: unknown, isWrite: boolean): unknown {
  const isAnswer = stateOf(error) !== undefined && (error as { severity?: string }).severity === 'ERROR';
  return isAnswer ? error : new ConnectionFailure(error, { isUncertain: isWrite });
}

/**
 * Classifies an error that the driver reports for a COMMIT. A transaction that ended in a conflict had no effect. After
 * any other error the outcome is unknown: a Citus worker may have died during the COMMIT.
 */
export function commitFailure(error: unknown): unknown {
  return kindOf(error) === 'conflict' ? error : new ConnectionFailure(error, { isUncertain: true });
}

/**
 * `conflict`: another transaction went first. `broken`: the connection cannot be used, or the server lost its
 * connection to a Citus worker. `busy`: the server cannot execute the statement now. `refused`: the server does not
 * execute the statement at all. `own`: the error does not come from the database.
 */
export type FailureKind = 'conflict' | 'broken' | 'busy' | 'refused' | 'own';

export function kindOf(error: unknown): FailureKind {
  if (error instanceof ConnectionFailure) return 'broken';
  const state = stateOf(error);
  if (state === undefined) return 'own';
  if (state === '40001' || state === '40P01') return 'conflict';
  if (state.startsWith('08')) return 'broken';
  return busyStates.test(state) ? 'busy' : 'refused';
}

/**
 * States that mean `busy`: the server lacks resources, a statement or a lock timed out, or the server is starting or
 * stopping. State 25006: a standby now answers in place of the primary.
 */
const busyStates = /^(53|57|58|55P03|25006)/;

/** The index accepts at most about 2,700 bytes for both keys together. In UTF-8, valid keys can be longer. */
export const isKeyTooLong = (error: unknown): boolean => stateOf(error) === '54000';

/** The call changed nothing, and may be repeated. */
export function unreachable(error: unknown): StoreUnavailable {
  const cause = error instanceof ConnectionFailure ? error.cause : error;
  return new StoreUnavailable('unreachable', `The database cannot be used: ${databaseReason(cause)}.`, { cause });
}

/** The call may have changed something. */
export function uncertain(error: ConnectionFailure): Error {
  const text = `the connection to the database failed during a change, which may have happened: ${error.message}`;
  return new Error(text, { cause: error.cause });
}

export function databaseReason(error: unknown): string {
  // Node tries every address of a host, and gives an error for each.
  const first = error instanceof AggregateError ? error.errors[0] : error;
  const message = first instanceof Error ? first.message : String(first);
  return message.replace(/\.$/, '');
}

/** The SQLSTATE of an error that the server sent. */
export function stateOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('severity' in error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
