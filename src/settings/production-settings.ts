import { chaosName } from '../faults/chaos-rules.ts';
import { dayMs, type RowsFor } from './setting.ts';

export interface ProductionOptions {
  /** The number of milliseconds for which requests for a deleted table get TableBeingDeleted. Default 0. */
  readonly tableDeleteDelayMs?: number;
  /**
   * Where a page of a query may end before it is full. `none`: nowhere. `partition`: after each partition. `range`: where
   * the capacity model has split the table (not with `throttle: 'off'`). A page that ends early has a continuation and may
   * be empty, as in the service. Default `none`.
   */
  readonly pageBoundaries?: 'none' | 'partition' | 'range';
  /** Status of the secondary in Get Table Service Stats. Default `live`. */
  readonly secondary?: 'live' | 'bootstrap' | 'unavailable';
  /** Milliseconds by which the secondary is behind in Get Table Service Stats. Default 0. */
  readonly replicaLagMs?: number;
  /**
   * A JSON file with fault rules to apply from the start (docs/faults.md), or `chaos`, a moderate mix of faults.
   * Default: none.
   */
  readonly faults?: string;
  /**
   * Seed for the random choices of faults: with the same seed, faults affect the same requests. Default: random at each
   * start.
   */
  readonly faultSeed?: number;
  /**
   * Whether a request from this machine, or with the control token, may carry a fault in the header `x-emulator-fault`.
   * Default true.
   */
  readonly faultHeader?: boolean;
}

/** @internal */
export const productionRows = {
  tableDeleteDelayMs: {
    kind: 'whole number',
    flag: '--table-delete-delay <seconds>',
    unit: 'ms',
    min: 0,
    max: dayMs,
    default: 0,
    // Evidence: documented (Delete Table): the name cannot be used again for at least 40 seconds.
    strict: 40_000,
    help: 'answer requests for a deleted table with TableBeingDeleted for this long',
  },
  pageBoundaries: {
    kind: 'choice',
    flag: '--page-boundaries <where>',
    default: 'none',
    strict: 'partition',
    choices: {
      none: 'pages end when they are full',
      partition: 'also after each partition',
      range: 'also where the capacity model has split the table',
    },
    help: 'end pages of a query early, as production may do; such a page may be empty',
  },
  secondary: {
    kind: 'choice',
    flag: '--secondary <status>',
    default: 'live',
    choices: {
      live: 'the secondary is in use',
      bootstrap: 'the first synchronisation is in progress',
      unavailable: 'the secondary cannot be reached',
    },
    help: 'report this status of the secondary in Get Table Service Stats',
  },
  replicaLagMs: {
    kind: 'whole number',
    flag: '--replica-lag <seconds>',
    unit: 'ms',
    min: 0,
    max: dayMs,
    default: 0,
    // Evidence: documented (Azure Storage redundancy): the secondary is typically less than 15 minutes behind.
    strict: 900_000,
    help: 'report that the secondary is this far behind',
  },
  faults: {
    kind: 'text',
    flag: '--faults <chaos|file>',
    chaos: chaosName,
    help: 'apply the fault rules in this JSON file, or chaos: a moderate mix of faults (docs/faults.md)',
    details: 'For a file with the name `chaos`, write `./chaos`.',
  },
  faultSeed: {
    kind: 'whole number',
    flag: '--fault-seed <number>',
    min: 0,
    max: 999_999_999,
    defaultText: 'random at each start',
    help: 'use this seed for the random choices of faults, so that faults strike the same requests again',
  },
  faultHeader: {
    kind: 'switch',
    flag: '--no-fault-header',
    default: true,
    help: 'ignore the header x-emulator-fault, in which a request from this machine can carry a fault',
  },
} as const satisfies RowsFor<ProductionOptions>;
