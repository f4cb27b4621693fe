// Microsoft's performance and scalability checklist for tables. Each row has a question, the rules that answer the
// question, and the category in which Microsoft's page lists the question.

import type { Source } from './report.ts';
import { checklistPage } from './sources.ts';
import type { RuleId } from './thresholds.ts';

export interface ChecklistQuestion {
  readonly id: string;
  readonly question: string;
  /** Empty if requests cannot answer the question. */
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
    'Does the application stay within the limit of storage accounts in a subscription?',
  ),
  row('account-limits', 'Scalability targets', 'Does it stay below the transaction limits of an account?', [
    'account-target',
    'burst',
  ]),
  row('entities-per-second', 'Scalability targets', 'Does it stay below the targets for entities per second?', [
    'partition-target',
    'account-target',
  ]),
  row('bandwidth', 'Networking', 'Do client devices have enough bandwidth and low enough latency?'),
  row('link-quality', 'Networking', 'Is the network link of the clients good?'),
  row('location', 'Networking', 'Is the application in the region of the account?'),
  row(
    'direct-access',
    'Direct Client Access',
    'Do clients with direct access to tables use shared access signatures and CORS?',
    ['key-in-browser'],
  ),
  row('batching', 'Batching', 'Are updates sent as entity group transactions?', [
    'single-writes',
    'small-batches',
    'scattered-group',
    'group-across-tables',
    'malformed-batch',
  ]),
  row('dotnet-version', '.NET configuration', 'Does a .NET client run on .NET (Core) rather than .NET Framework?', [
    'old-client',
  ]),
  row('connections', '.NET configuration', 'Does the client keep enough connections open?', ['connection-churn']),
  row('threads', '.NET configuration', 'Does a .NET Framework client have enough threads in its pool?'),
  row('parallelism', 'Parallelism', 'Is parallelism bounded?', ['excess-parallelism', 'colliding-transactions']),
  row('client-libraries', 'Tools', 'Are client libraries and tools current?', ['old-client']),
  row('backoff', 'Retries', 'Do clients use exponential backoff when they retry after throttling or a timeout?', [
    'immediate-retry',
    'no-backoff',
  ]),
  row('final-errors', 'Retries', 'Do clients avoid retries after final errors?', [
    'retry-of-final-error',
    'table-name-reused',
  ]),
  row('json', 'Configuration', 'Do requests use JSON?', ['atom-format', 'full-metadata']),
  row('nagle', 'Configuration', "Is Nagle's algorithm off for small requests?", ['nagle-or-expect']),
  row('partitioning', 'Tables and partitions', 'Is the data partitioned for the way it is used?', [
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
  row('query-scope', 'Query scope', 'Are most reads point queries, and few of them table scans?', [
    'table-scan',
    'row-key-only-filter',
    'partition-scan',
    'or-of-keys',
    'filter-without-point-read',
    'repeated-property-scan',
    'ignored-continuation',
  ]),
  row('query-density', 'Query density', 'Do queries visit hardly more entities than they return?', [
    'low-density',
    'scan-to-modify',
  ]),
  row('filtering', 'Limiting returned data', 'Does the service filter, rather than the client?', [
    'client-side-filter',
  ]),
  row('projection', 'Limiting returned data', 'Are only the needed properties returned?', ['missing-projection']),
  row(
    'denormalization',
    'Denormalization',
    'Is the data denormalised, so that one request can read all the related data?',
    ['chained-reads'],
  ),
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
  row('series', 'Insert, update, and delete', 'Are values that are read as a series stored in one entity?', [
    'tiny-series-entities',
  ]),
  row(
    'blobs',
    'Insert, update, and delete',
    'Are blobs used for data, such as logs, that is always read together and written in batches?',
    ['log-in-table'],
  ),
];
