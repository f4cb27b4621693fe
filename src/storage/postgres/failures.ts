// What a failed statement means: either the change did not happen, and is repeated or refused, or its outcome is unknown.

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
 * Classifies the driver's error for a COMMIT. A conflict had no effect. After any other error, as when a Citus worker dies during the
 * COMMIT, the outcome is unknown.
 */
export function commitFailure(error: unknown): unknown {
  return kindOf(error) === 'conflict' ? error : new ConnectionFailure(error, { isUncertain: true });
}

/**
 * `conflict`: with another transaction, whose turn it was. `broken`: the connection, or one from there to a worker of Citus, is of no use. `busy`: the server cannot do
 * it now. `refused`: the server cannot do it at all. `own`: not a failure of the database.
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
 * Lack of resources, timeouts of statements and locks, a server that starts or stops, and 25006: a standby,
 * where the primary was before.
 */
const busyStates = /^(53|57|58|55P03|25006)/;

/** The index accepts keys of about 2,700 bytes together. In UTF-8 they can be longer. */
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
