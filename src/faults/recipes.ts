// Says how `tanzanite chaos` stages the failures of failures.ts. `tanzanite chaos` runs the user's command once for
// each failure. The rules of a failure mainly affect the first requests of each kind, so a program that retries a few
// times succeeds.

import { type Failure, failures } from './failures.ts';
import type { Fault, FaultRule } from './fault-rule.ts';

export interface Recipe {
  /** The name of the rules that stage the failure. Rules with other names prepare it. */
  readonly name: string;
  /** What happens, in a few words. */
  readonly what: string;
  /** The question about the program that a failed run answers. */
  readonly question: string;
  /** What a program has to send for the failure to happen. */
  readonly needs: string;
  readonly rules: readonly FaultRule[];
  /** How long each rule applies after its first hit, in milliseconds of machine time. Default: until the run ends. */
  readonly lastsMs?: number;
}

/** Operations on entities. Most programs create tables only to prepare a run, and that part is not tested. */
const onEntities = '*Entit*';
const reads = ['GetEntity', 'QueryEntities'];
/** Batches come first: a batch is affected itself, and also counted for the rules of its operations. */
const writes = [
  'EntityGroupTransaction',
  'InsertEntity',
  'UpdateEntity',
  'MergeEntity',
  'InsertOrReplaceEntity',
  'InsertOrMergeEntity',
  'DeleteEntity',
];

/** Returns a rule for each operation. The rule causes the fault at the first request of its operation. */
const firstOfEach = (
  name: string,
  operations: readonly string[],
  fault: Fault = failureOf(name).fault,
): readonly FaultRule[] => operations.map((operation) => ({ name, match: { operation }, when: { first: 1 }, fault }));

/** The failure in failures.ts. */
function failureOf(name: string): Failure['rule'] {
  const found = failures.find((failure) => failure.name === name);
  if (!found) throw new Error(`there is no failure ${name}`);
  return found.rule;
}

export const recipes: readonly Recipe[] = [
  {
    name: 'busy',
    what: '503 ServerBusy for half a second',
    question: 'does the program wait before it tries again?',
    needs: 'a request for entities',
    rules: [{ name: 'busy', match: { operation: onEntities }, fault: failureOf('busy').fault }],
    lastsMs: 500,
  },
  {
    name: 'server-error',
    what: '500 InternalError',
    question: 'does the program try again?',
    needs: 'a request for entities',
    rules: firstOfEach('server-error', [...writes, ...reads]),
  },
  {
    name: 'timeout-before-commit',
    what: '500 OperationTimedOut, the write was not done',
    question: 'does the program repeat a write that was not done?',
    needs: 'a write of an entity',
    rules: firstOfEach('timeout-before-commit', writes),
  },
  {
    name: 'timeout-after-commit',
    what: '500 OperationTimedOut, the write was done',
    question: 'does the program find out that a write was done although the answer was 500?',
    needs: 'a write of an entity',
    rules: firstOfEach('timeout-after-commit', writes),
  },
  {
    name: 'reset-after-commit',
    what: 'no answer, the write was done',
    question: 'does the program find out that a write was done although there was no answer?',
    needs: 'a write of an entity',
    rules: firstOfEach('reset-after-commit', writes),
  },
  {
    name: 'batch-reply-lost',
    what: 'no answer, the batch was done',
    question: 'does the program find out that a batch was done although there was no answer?',
    needs: 'a batch',
    rules: [failureOf('batch-reply-lost')],
  },
  {
    name: 'empty-page',
    what: 'a page without entities, with a continuation',
    question: 'does the paging loop continue after a page without entities?',
    needs: 'a query of entities',
    rules: [
      failureOf('empty-page'),
      // Only every second page is empty, so that each loop meets an empty page and still ends.
      { ...failureOf('empty-page'), when: { every: 2 } },
    ],
  },
  {
    name: 'expired-continuation',
    what: 'a continuation that the service refuses',
    question: 'does the paging loop start over when the service refuses its continuation?',
    needs: 'a query of entities that asks for the next page',
    rules: [
      ...firstOfEach('expired-continuation', ['QueryEntities']),
      // Ensures that there is a continuation even with few entities.
      {
        name: 'pages of one entity',
        match: { operation: 'QueryEntities' },
        when: { first: 3 },
        fault: { kind: 'shortPage', entities: 1 },
      },
    ],
  },
  {
    name: 'signature-expired',
    what: 'a shared access signature that has expired',
    question: 'does the program get a new signature?',
    needs: 'a request with a shared access signature',
    rules: [failureOf('signature-expired')],
  },
  {
    name: 'slow',
    what: 'an answer after three seconds',
    question: 'does the program wait for an answer that takes three seconds?',
    needs: 'a request for entities',
    rules: firstOfEach('slow', [...writes, ...reads], { kind: 'delay', ms: 3_000 }),
  },
  {
    name: 'hang',
    what: 'no answer, and an open connection',
    question: 'does the program give up an unanswered request and try again?',
    needs: 'a request for entities',
    rules: [{ ...failureOf('hang'), match: { operation: onEntities } }],
  },
  {
    name: 'cut-response',
    what: 'an answer that breaks off',
    question: 'does the program read again when an answer breaks off?',
    needs: 'a read of entities',
    rules: firstOfEach('cut-response', reads),
  },
];
