// The default thresholds of all rules, in one table. `advisor.thresholds` in tanzanite.json can replace each of them.

/** A name that ends in Ms is a time in milliseconds. Shares are fractions of 1. */
export const defaultThresholds = {
  'partition-target': { noteShare: 0.5, warningShare: 1 },
  'account-target': { noteShare: 0.5, warningShare: 1 },
  'hot-partition': { share: 0.5, operations: 1000, partitions: 10 },
  'hot-entity': { conflicts: 10, writers: 2, writes: 200, share: 0.5 },
  'lone-partition': { entities: 10_000 },
  'scattered-group': { entities: 50, run: 10, groups: 5 },
  'append-only-keys': { share: 0.95, partitions: 200 },
  'prepend-only-keys': { share: 0.95, partitions: 200 },
  burst: { factor: 10, targetShare: 0.25, trailingSeconds: 60 },
  'table-scan': { visited: 1000, wantedShare: 0.9 },
  'row-key-only-filter': { visited: 1000 },
  'partition-scan': { visited: 1000, wantedShare: 0.9 },
  'or-of-keys': { count: 1 },
  'filter-without-point-read': { count: 1 },
  'low-density': { visited: 1000, share: 0.01 },
  'repeated-property-scan': { scans: 10, visited: 1000 },
  'scan-to-modify': { entities: 5, visited: 100, withinMs: 10_000 },
  'chained-reads': { reads: 5, withinMs: 5_000 },
  'client-side-filter': { enumerations: 3, visited: 1000 },
  'missing-projection': { reads: 10, entityBytes: 4096, properties: 20 },
  'single-writes': { entities: 20, gapMs: 250 },
  'small-batches': { transactions: 20, operations: 10 },
  'group-across-tables': { partitions: 5, withinMs: 1_000 },
  'colliding-transactions': { count: 3 },
  'malformed-batch': { count: 1 },
  'read-before-write': { count: 5, withinMs: 1_000 },
  'read-after-write': { count: 5, withinMs: 50 },
  'replace-for-merge': { count: 5, changedShare: 0.2, properties: 5 },
  'lost-update': { count: 1 },
  'immediate-retry': { count: 1, gapMs: 100 },
  'no-backoff': { count: 1, gaps: 3, growth: 1.3, tries: 5, withinMs: 60_000 },
  'retry-of-final-error': { repeats: 3, withinMs: 5_000, pollMs: 200 },
  'excess-parallelism': { requests: 100 },
  'connection-churn': { requests: 100, requestsPerConnection: 2 },
  'nagle-or-expect': { count: 5, share: 0.5, gapMsMin: 35, gapMsMax: 250, naglesBytes: 1460, expectsBytes: 16_384 },
  'atom-format': { count: 1 },
  'full-metadata': { count: 1 },
  'old-client': { count: 1 },
  'tiny-series-entities': { queries: 5, entities: 10, properties: 3 },
  'log-in-table': { inserts: 100, share: 0.9 },
  'high-volume-delete': { deletes: 100 },
  'table-name-reused': { count: 1, withinMs: 60_000 },
  'unpadded-numbers': { count: 1, keys: 10 },
  'percent-in-key': { count: 1 },
  'near-limit': {
    properties: 200,
    entityBytes: 786_432,
    valueBytes: 49_152,
    keyChars: 768,
    transactionBytes: 3_145_728,
    comparisons: 13,
  },
  'ignored-continuation': { repeats: 2, withinMs: 10_000 },
  'create-table-each-call': { count: 20 },
  'key-in-browser': { count: 1 },
} as const satisfies Readonly<Record<string, Readonly<Record<string, number>>>>;

type Defaults = typeof defaultThresholds;

export type RuleId = keyof Defaults;

export type Thresholds = { readonly [Id in RuleId]: { readonly [Name in keyof Defaults[Id]]: number } };

export const ruleIds = Object.keys(defaultThresholds) as readonly RuleId[];
