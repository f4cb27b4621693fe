// The rules of the profile `chaos`: a mix of faults that happen in production from time to time. A program survives
// each of these faults if it retries and checks whether its write was done. The rules of rarer faults come first,
// because only the first rule that strikes a request takes effect.

import type { Fault, FaultRule } from './fault-rule.ts';

/** The value of `--faults` for these rules, instead of a file. */
export const chaosName = 'chaos';

const now = (name: string, probability: number, fault: Fault): FaultRule => ({ name, when: { probability }, fault });

export const chaosRules: readonly FaultRule[] = [
  now('chaos-server-error', 0.01, { kind: 'error', code: 'InternalError' }),
  now('chaos-timeout', 0.01, { kind: 'timeout', at: 'beforeCommit' }),
  now('chaos-timeout-after-commit', 0.02, { kind: 'timeout', at: 'afterCommit' }),
  now('chaos-reset', 0.01, { kind: 'reset', at: 'beforeCommit' }),
  now('chaos-reset-after-commit', 0.02, { kind: 'reset', at: 'afterCommit' }),
  now('chaos-busy', 0.03, { kind: 'error', code: 'ServerBusy' }),
  now('chaos-empty-page', 0.05, { kind: 'shortPage', entities: 0 }),
  now('chaos-short-page', 0.05, { kind: 'shortPage', entities: 1 }),
  now('chaos-slow', 0.05, { kind: 'delay', p50Ms: 20, p99Ms: 500 }),
];
