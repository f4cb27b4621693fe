import { type ErrorCode, errorCatalogue } from '../model/error-catalogue.ts';
import { changesetOperationsMax, pageEntitiesMax } from '../model/limits.ts';
import {
  type DelayFault,
  delayMsMax,
  type ErrorFault,
  type Fault,
  type FaultKind,
  type ResetFault,
  type TimeoutFault,
} from './fault-rule.ts';
import type { Fields } from './fields.ts';

const places = ['beforeCommit', 'afterCommit'] as const;
const resetPlaces = [...places, 'midBody'] as const;
const time = { min: 0, max: delayMsMax };
/** Maximum for a number of bytes. */
const bytesMax = 1_000_000_000;
const retryAfterSecondsMax = 86_400;

/** Reads the fault of a rule. Throws UnusableRule. */
export function parseFault(fields: Fields): Fault {
  const kind = fields.required('kind', fields.choice('kind', faultKinds));
  const { members, read } = readers[kind];
  fields.only(['kind', ...members]);
  return read(fields);
}

interface Reader {
  readonly members: readonly string[];
  readonly read: (fields: Fields) => Fault;
}

const readers: Readonly<Record<FaultKind, Reader>> = {
  error: { members: ['status', 'code', 'retryAfterSeconds', 'failedAt'], read: readError },
  timeout: { members: ['at', 'ms'], read: readTimeout },
  reset: { members: ['at'], read: readReset },
  hang: { members: ['at'], read: (fields) => ({ kind: 'hang', ...optional('at', fields.choice('at', places)) }) },
  delay: { members: ['ms', 'p50Ms', 'p99Ms'], read: readDelay },
  drip: {
    members: ['bytesPerSecond'],
    read: (fields) => ({ kind: 'drip', bytesPerSecond: whole(fields, 'bytesPerSecond', { min: 1, max: bytesMax }) }),
  },
  truncate: {
    members: ['bytes'],
    read: (fields) => ({ kind: 'truncate', bytes: whole(fields, 'bytes', { min: 0, max: bytesMax }) }),
  },
  shortPage: {
    members: ['entities'],
    read: (fields) => ({ kind: 'shortPage', entities: whole(fields, 'entities', { min: 0, max: pageEntitiesMax }) }),
  },
  expireContinuation: { members: [], read: () => ({ kind: 'expireContinuation' }) },
  stale: { members: ['ms'], read: (fields) => ({ kind: 'stale', ms: whole(fields, 'ms', time) }) },
};

export const faultKinds = Object.keys(readers) as readonly FaultKind[];
const errorCodes = Object.keys(errorCatalogue) as readonly ErrorCode[];

function readError(fields: Fields): ErrorFault {
  const given = fields.required('code', fields.text('code', { charsMax: 128 }));
  const code = errorCodes.find((one) => one === given);
  if (code === undefined) return fields.refuse('code', `the service has no error ${JSON.stringify(given)}.`);
  const status = fields.number('status', { min: 0, max: 999 });
  const [own] = errorCatalogue[code];
  if (status !== undefined && status !== own) fields.refuse('status', `${code} is answered with ${own}.`);
  const retryAfterSeconds = fields.whole('retryAfterSeconds', { min: 0, max: retryAfterSecondsMax });
  const failedAt = fields.whole('failedAt', { min: 0, max: changesetOperationsMax - 1 });
  return {
    kind: 'error',
    ...optional('status', status),
    code,
    ...optional('retryAfterSeconds', retryAfterSeconds),
    ...optional('failedAt', failedAt),
  };
}

function readTimeout(fields: Fields): TimeoutFault {
  const at = fields.choice('at', places);
  return { kind: 'timeout', ...optional('at', at), ...optional('ms', fields.whole('ms', time)) };
}

function readReset(fields: Fields): ResetFault {
  return { kind: 'reset', ...optional('at', fields.choice('at', resetPlaces)) };
}

function readDelay(fields: Fields): DelayFault {
  const [ms, p50Ms, p99Ms] = ['ms', 'p50Ms', 'p99Ms'].map((name) => fields.number(name, time));
  if (ms !== undefined) {
    if (fields.has('p50Ms') || fields.has('p99Ms')) fields.refuse('ms', 'it is given without p50Ms and p99Ms.');
    return { kind: 'delay', ms };
  }
  if (p50Ms === undefined && p99Ms === undefined) return fields.refuse('ms', 'it is missing.');
  const median = fields.required('p50Ms', p50Ms);
  const slowest = fields.required('p99Ms', p99Ms);
  if (slowest < median) fields.refuse('p99Ms', 'it must not be less than p50Ms.');
  return { kind: 'delay', p50Ms: median, p99Ms: slowest };
}

const whole = (fields: Fields, name: string, bounds: { min: number; max: number }): number =>
  fields.required(name, fields.whole(name, bounds));

/** An object with this one member, or an empty object if there is no value. */
export function optional<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { [Key in Name]?: Exclude<Value, undefined> } {
  return (value === undefined ? {} : { [name]: value }) as { [Key in Name]?: Exclude<Value, undefined> };
}
