import type { CapacityModelOptions, ThrottleOptions } from '../capacity/capacity-settings.ts';
import { dayMs, type RowsFor } from './setting.ts';

const target = { kind: 'positive number', unit: 'units a second', max: 1_000_000, isWholeAsFlag: true } as const;
const duration = { kind: 'positive number', unit: 'ms', max: dayMs } as const;

/** @internal */
export const capacityRows = {
  scale: {
    kind: 'positive number',
    flag: '--throttle-scale <factor>',
    max: 1_000,
    default: 1,
    help: 'multiply every target by this factor',
  },
  queueLength: {
    kind: 'whole number',
    flag: '--throttle-queue <count>',
    unit: 'requests',
    min: 0,
    max: 100_000,
    // Evidence: assumed (Microsoft does not publish the capacity of one server). The range target and all times below
    // are assumed too.
    default: 32,
    help: 'let this many requests of an account wait for capacity; refuse more (0: refuse immediately)',
    details:
      'If only a few clients send requests and each client waits for its response, requests become slower but none is ' +
      'refused. The value `0` refuses requests immediately, so that you can test a retry policy.',
  },
  waitMsMax: {
    ...duration,
    flag: '--throttle-wait-max <seconds>',
    default: 5_000,
    help: 'refuse a request immediately if it would wait longer than this for capacity',
  },
  // Evidence: documented (Scalability and performance targets for Table storage): entities of 1 KiB a second.
  accountTarget: {
    ...target,
    flag: '--account-target <units>',
    default: 20_000,
    help: 'let an account serve this many entities of 1 KiB per second',
  },
  rangeTarget: {
    ...target,
    flag: '--range-target <units>',
    default: 8_000,
    help: 'let a range partition of a table serve this many units per second',
  },
  partitionTarget: {
    ...target,
    flag: '--partition-target <units>',
    default: 2_000,
    help: 'let a partition serve this many units per second',
  },
  splitAfterMs: {
    ...duration,
    flag: '--split-after <seconds>',
    default: 15_000,
    help: 'split a range that has been hot for this long',
  },
  mergeAfterMs: {
    ...duration,
    flag: '--merge-after <seconds>',
    default: 60_000,
    help: 'merge two ranges that have been idle for this long',
  },
  moveMs: {
    ...duration,
    flag: '--move-time <seconds>',
    default: 1_000,
    help: 'refuse requests to a range for this long when the range splits or merges',
  },
} as const satisfies RowsFor<CapacityModelOptions>;

/** @internal */
export const throttleRows = {
  throttle: {
    kind: 'choice',
    flag: '--throttle <mode>',
    default: 'observe',
    strict: 'enforce',
    choices: {
      off: 'requests are not counted',
      observe: 'requests that exceed a target are counted and reported',
      enforce: 'such requests are refused, as the service does',
    },
    help: 'ignore the scalability targets, report requests that exceed them, or refuse such requests',
  },
  capacity: {
    kind: 'group',
    isPartial: true,
    members: capacityRows,
    help: 'targets and times of the capacity model (docs/capacity.md)',
  },
  retryAfterSeconds: {
    kind: 'whole number',
    flag: '--retry-after <seconds>',
    unit: 'seconds',
    min: 0,
    max: dayMs / 1000,
    default: 0,
    help: 'send the header Retry-After with 503 ServerBusy, unlike the service (0: do not send it)',
  },
} as const satisfies RowsFor<ThrottleOptions>;
