// Failures that occur in production but seldom in tests. Each failure is written as a fault rule. docs/faults.md says
// how a program must react.

import type { FaultRule } from './fault-rule.ts';
import { batchOperationName } from './operation-traits.ts';

export interface Failure {
  readonly name: string;
  /** What happens, in one sentence. */
  readonly text: string;
  readonly rule: FaultRule & { readonly name: string };
}

const failure = (name: string, text: string, rule: FaultRule): Failure => ({ name, text, rule: { name, ...rule } });

export const failures: readonly Failure[] = [
  failure('busy', 'The service is busy, and says when to try again.', {
    when: { first: 2 },
    fault: { kind: 'error', code: 'ServerBusy', retryAfterSeconds: 1 },
  }),
  failure('server-error', 'The service fails and does not write anything.', {
    when: { first: 2 },
    fault: { kind: 'error', code: 'InternalError' },
  }),
  failure('timeout-before-commit', 'The service reports a timeout, and the write is not done.', {
    when: { first: 1 },
    fault: { kind: 'timeout', at: 'beforeCommit' },
  }),
  failure('timeout-after-commit', 'The service reports a timeout, but the write is done.', {
    when: { first: 1 },
    fault: { kind: 'timeout', at: 'afterCommit' },
  }),
  failure('reset-after-commit', 'The connection breaks before the response, but the write is done.', {
    when: { first: 1 },
    fault: { kind: 'reset', at: 'afterCommit' },
  }),
  failure('batch-reply-lost', 'The connection breaks before the response to a batch, but the batch is done.', {
    match: { operation: batchOperationName },
    when: { first: 1 },
    fault: { kind: 'reset', at: 'afterCommit' },
  }),
  failure('empty-page', 'A page of a query has no entities, but a continuation.', {
    match: { operation: 'QueryEntities' },
    when: { first: 1 },
    fault: { kind: 'shortPage', entities: 0 },
  }),
  failure('expired-continuation', 'The continuation of a query is refused.', {
    when: { first: 1 },
    fault: { kind: 'expireContinuation' },
  }),
  failure('signature-expired', 'A shared access signature is refused as expired.', {
    match: { credential: '*Sas' },
    when: { first: 1 },
    fault: { kind: 'error', code: 'AuthenticationFailed' },
  }),
  failure('slow', 'Responses take long, and a few of them very long.', {
    fault: { kind: 'delay', p50Ms: 50, p99Ms: 2_000 },
  }),
  failure('hang', 'A request gets no response until its client gives up.', {
    when: { first: 1 },
    fault: { kind: 'hang', at: 'beforeCommit' },
  }),
  failure('cut-response', 'A response breaks off in the middle.', {
    match: { operation: 'QueryEntities' },
    when: { first: 1 },
    fault: { kind: 'truncate', bytes: 20 },
  }),
];
