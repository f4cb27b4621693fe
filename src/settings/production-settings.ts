import { dayMs, type RowsFor } from './setting.ts';

export interface ProductionOptions {
  /** Milliseconds for which the name of a deleted table answers TableBeingDeleted. Default 0. */
  readonly tableDeleteDelayMs?: number;
  /**
   * Where a page of a query may end before it is full: nowhere (`none`), after each partition (`partition`), or where the
   * capacity model has split the table (`range`, not with `throttle: 'off'`). Such a page may be empty and has a
   * continuation, like the service's. Default `none`.
   */
  readonly pageBoundaries?: 'none' | 'partition' | 'range';
  /** Status of the secondary in Get Table Service Stats. Default `live`. */
  readonly secondary?: 'live' | 'bootstrap' | 'unavailable';
  /** Milliseconds by which the secondary is behind in Get Table Service Stats. Default 0. */
  readonly replicaLagMs?: number;
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
    help: 'answer TableBeingDeleted for this long after a table was deleted',
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
    help: 'end pages of a query early, even empty ones, as production may',
  },
  secondary: {
    kind: 'choice',
    flag: '--secondary <status>',
    default: 'live',
    choices: {
      live: 'the secondary is in use',
      bootstrap: 'the first synchronisation is under way',
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
    help: 'report the secondary as this far behind',
  },
} as const satisfies RowsFor<ProductionOptions>;
