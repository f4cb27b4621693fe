// Microsoft's performance and scalability checklist for tables, row by row, and the rules that watch over each. The section of
// a row is its category there.

import type { Source } from './report.ts';
import { checklistPage } from './sources.ts';
import type { RuleId } from './thresholds.ts';

export interface ChecklistQuestion {
  readonly id: string;
  readonly question: string;
  /** None: no traffic shows it. */
  readonly rules: readonly RuleId[];
  readonly source: Source;
}

const row = (id: string, category: string, question: string, rules: readonly RuleId[] = []): ChecklistQuestion => ({
  id,
  question,
  rules,
  source: checklistPage(category),
});

export const checklist: readonly ChecklistQuestion[] = [
  row(
    'accounts',
    'Scalability targets',
    'Does the application manage with the number of storage accounts that a subscription has?',
  ),
  row('account-limits', 'Scalability targets', 'Does it stay clear of the transaction limits of an account?', [
    'account-target',
    'burst',
  ]),
  row('entities-per-second', 'Scalability targets', 'Does it stay clear of the targets for entities a second?', [
    'partition-target',
    'account-target',
  ]),
  row('bandwidth', 'Networking', 'Have the client devices the bandwidth and the latency that they need?'),
  row('link-quality', 'Networking', 'Is the network link of the clients good?'),
  row('location', 'Networking', 'Is the application in the region of the account?'),
  row(
    'direct-access',
    'Direct Client Access',
    'Do clients that reach tables themselves use shared access signatures and CORS?',
    ['key-in-browser'],
  ),
  row('batching', 'Batching', 'Are updates sent as entity group transactions?', [
    'single-writes',
    'small-batches',
    'scattered-group',
    'group-across-tables',
    'malformed-batch',
  ]),
  row('dotnet-version', '.NET configuration', 'Does a .NET client run on .NET (Core), and not on .NET Framework?', [
    'old-client',
  ]),
  row('connections', '.NET configuration', 'Does the client keep as many connections open as it needs?', [
    'connection-churn',
  ]),
  row('threads', '.NET configuration', 'Has a .NET Framework client enough threads in its pool?'),
  row('parallelism', 'Parallelism', 'Is parallelism bounded?', ['excess-parallelism', 'colliding-transactions']),
  row('client-libraries', 'Tools', 'Are client libraries and tools current?', ['old-client']),
  row('backoff', 'Retries', 'Do retries after throttling and timeouts back off exponentially?', [
    'immediate-retry',
    'no-backoff',
  ]),
  row('final-errors', 'Retries', 'Are errors that are final not retried?', [
    'retry-of-final-error',
    'table-name-reused',
  ]),
  row('json', 'Configuration', 'Do requests use JSON?', ['atom-format', 'full-metadata']),
  row('nagle', 'Configuration', "Is Nagle's algorithm off for small requests?", ['nagle-or-expect']),
  row('partitioning', 'Tables and partitions', 'Are the data partitioned as their use demands?', [
    'lone-partition',
    'scattered-group',
    'unpadded-numbers',
    'near-limit',
    'percent-in-key',
  ]),
  row('append-prepend', 'Hot partitions', 'Do keys avoid the append-only and prepend-only patterns?', [
    'append-only-keys',
    'prepend-only-keys',
  ]),
  row('spread-writes', 'Hot partitions', 'Are inserts and updates spread over many partitions?', [
    'hot-partition',
    'hot-entity',
  ]),
  row('query-scope', 'Query scope', 'Do point queries serve most reads, and table scans few?', [
    'table-scan',
    'row-key-only-filter',
    'partition-scan',
    'or-of-keys',
    'filter-without-point-read',
    'repeated-property-scan',
    'ignored-continuation',
  ]),
  row('query-density', 'Query density', 'Do queries visit little more than they return?', [
    'low-density',
    'scan-to-modify',
  ]),
  row('filtering', 'Limiting returned data', 'Does the service filter, and not the client?', ['client-side-filter']),
  row('projection', 'Limiting returned data', 'Are only the properties returned that are needed?', [
    'missing-projection',
  ]),
  row('denormalization', 'Denormalization', 'Are data denormalised, so that one request reads what belongs together?', [
    'chained-reads',
  ]),
  row('round-trips', 'Insert, update, and delete', 'Are writes that belong together sent together?', [
    'single-writes',
    'high-volume-delete',
    'create-table-each-call',
  ]),
  row('upserts', 'Insert, update, and delete', 'Are entities written without reading them first?', [
    'read-before-write',
    'read-after-write',
    'replace-for-merge',
    'lost-update',
  ]),
  row('series', 'Insert, update, and delete', 'Are series that are read together stored as properties of one entity?', [
    'tiny-series-entities',
  ]),
  row(
    'blobs',
    'Insert, update, and delete',
    'Are blobs used for data that are always read together and written in batches, such as logs?',
    ['log-in-table'],
  ),
];
