// What the form asks of each kind of fault.

import type { FaultKind } from '../../../faults/fault-rule.ts';
import { errorCatalogue } from '../../../model/error-catalogue.ts';

export interface FaultField {
  /** The member of the fault. */
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** The values to choose from. If absent, the field takes a number. */
  readonly options?: readonly { readonly value: string; readonly label: string }[];
}

interface KindForm {
  readonly label: string;
  readonly fields: readonly FaultField[];
  /** Initial values. */
  readonly values: Readonly<Record<string, string>>;
}

const codes = Object.entries(errorCatalogue)
  .map(([code, [status]]) => ({ value: code, label: `${code} (${status})` }))
  .sort((a, b) => (a.value < b.value ? -1 : 1));

const beforeCommit = { value: 'beforeCommit', label: 'Before anything is written' };
const afterCommit = { value: 'afterCommit', label: 'After the write is done' };
const at = { name: 'at', label: 'Where', options: [beforeCommit, afterCommit] };

export const kindForms: Readonly<Record<FaultKind, KindForm>> = {
  error: {
    label: 'An error of the service',
    fields: [
      { name: 'code', label: 'Code', options: codes },
      { name: 'retryAfterSeconds', label: 'Retry-After, in seconds', hint: 'If empty, there is no such header.' },
      { name: 'failedAt', label: 'Index of the operation', hint: 'Only for a batch; counted from 0.' },
    ],
    values: { code: 'ServerBusy' },
  },
  timeout: {
    label: 'A timeout: 500 OperationTimedOut',
    fields: [at, { name: 'ms', label: 'After milliseconds', hint: 'If empty: immediately.' }],
    values: { at: 'afterCommit' },
  },
  reset: {
    label: 'A reset of the connection',
    fields: [{ ...at, options: [...at.options, { value: 'midBody', label: 'In the middle of the response' }] }],
    values: { at: 'afterCommit' },
  },
  hang: { label: 'No answer', fields: [at], values: { at: 'beforeCommit' } },
  delay: {
    label: 'A delay',
    fields: [
      { name: 'ms', label: 'Milliseconds', hint: 'A fixed delay. Or give the other two.' },
      { name: 'p50Ms', label: 'Median, in milliseconds' },
      { name: 'p99Ms', label: '99th percentile, in milliseconds' },
    ],
    values: { ms: '200' },
  },
  drip: {
    label: 'A body that comes slowly',
    fields: [{ name: 'bytesPerSecond', label: 'Bytes a second' }],
    values: { bytesPerSecond: '1000' },
  },
  truncate: {
    label: 'A body that breaks off',
    fields: [{ name: 'bytes', label: 'After bytes' }],
    values: { bytes: '20' },
  },
  shortPage: {
    label: 'A short page with a continuation',
    fields: [{ name: 'entities', label: 'Entities at most' }],
    values: { entities: '0' },
  },
  expireContinuation: { label: 'A continuation that is refused', fields: [], values: {} },
  stale: {
    label: 'Old data on the secondary',
    fields: [{ name: 'ms', label: 'Milliseconds ago' }],
    values: { ms: '5000' },
  },
};
