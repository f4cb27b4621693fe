// A rule in words.

import type { Fault, FaultMatch, FaultRule, FaultWhen } from '../../../faults/fault-rule.ts';
import { placeOf } from '../../../faults/fault-rule.ts';
import { formatCount, formatNumber } from '../../format.ts';

const places = {
  beforeCommit: 'before anything is written',
  afterCommit: 'after the write is done',
  midBody: 'in the middle of the response',
} as const;

/** `503 ServerBusy, Retry-After 1 s` */
export function faultText(fault: Fault): string {
  switch (fault.kind) {
    case 'error':
      return errorText(fault);
    case 'timeout':
      return `500 OperationTimedOut ${places[placeOf(fault)]}${fault.ms ? `, ${formatNumber(fault.ms)} ms later` : ''}`;
    case 'reset':
      return `The connection is reset ${places[placeOf(fault)]}`;
    case 'hang':
      return `No answer, ${places[placeOf(fault)]}`;
    case 'delay':
      return 'ms' in fault
        ? `Waits ${formatNumber(fault.ms)} ms`
        : `Waits ${formatNumber(fault.p50Ms)} ms, one in a hundred ${formatNumber(fault.p99Ms)} ms`;
    case 'drip':
      return `The body comes at ${formatCount(fault.bytesPerSecond, 'byte')} a second`;
    case 'truncate':
      return `The body breaks off after ${formatCount(fault.bytes, 'byte')}`;
    case 'shortPage':
      return `The page has ${formatCount(fault.entities, 'entity', 'entities')} at most, and a continuation`;
    case 'expireContinuation':
      return 'The continuation is refused with 400 InvalidInput';
    case 'stale':
      return `The secondary shows the data of ${formatNumber(fault.ms)} ms ago`;
  }
}

function errorText({ status, code, retryAfterSeconds, failedAt }: Extract<Fault, { readonly kind: 'error' }>): string {
  const parts = [
    `${status === undefined ? '' : `${status} `}${code}`,
    ...(retryAfterSeconds === undefined ? [] : [`Retry-After ${formatNumber(retryAfterSeconds)} s`]),
    ...(failedAt === undefined ? [] : [`for the operation of index ${failedAt}`]),
  ];
  return parts.join(', ');
}

/** Which requests a rule strikes: `each`, `the first 2`. Ends with the maximum number of times, if there is one. */
export function whenText({ when, times }: Pick<FaultRule, 'when' | 'times'>): string {
  const most = times === undefined ? '' : `, ${formatCount(times, 'time')} at most`;
  return `${when === undefined ? 'each' : chosenText(when)}${most}`;
}

function chosenText(when: FaultWhen): string {
  if ('nth' in when) return `number ${formatNumber(when.nth)}`;
  if ('first' in when) return when.first === 1 ? 'the first' : `the first ${formatNumber(when.first)}`;
  if ('every' in when) return `every ${formatNumber(when.every)}`;
  return `${formatNumber(when.probability * 100)} % of them`;
}

export const matchLabels: Readonly<Record<keyof FaultMatch, string>> = {
  operation: 'Operation',
  account: 'Account',
  table: 'Table',
  partitionKey: 'PartitionKey',
  rowKey: 'RowKey',
  userAgent: 'User agent',
  credential: 'Credential',
};
