// Every rule, in the order of the documentation.

import type { Rule } from './rule.ts';
import { accountTarget } from './rules/account-target.ts';
import { appendOnlyKeys } from './rules/append-only-keys.ts';
import { atomFormat } from './rules/atom-format.ts';
import { burst } from './rules/burst.ts';
import { chainedReads } from './rules/chained-reads.ts';
import { clientSideFilter } from './rules/client-side-filter.ts';
import { collidingTransactions } from './rules/colliding-transactions.ts';
import { connectionChurn } from './rules/connection-churn.ts';
import { createTableEachCall } from './rules/create-table-each-call.ts';
import { excessParallelism } from './rules/excess-parallelism.ts';
import { filterWithoutPointRead } from './rules/filter-without-point-read.ts';
import { fullMetadata } from './rules/full-metadata.ts';
import { groupAcrossTables } from './rules/group-across-tables.ts';
import { highVolumeDelete } from './rules/high-volume-delete.ts';
import { hotEntity } from './rules/hot-entity.ts';
import { hotPartition } from './rules/hot-partition.ts';
import { ignoredContinuation } from './rules/ignored-continuation.ts';
import { immediateRetry } from './rules/immediate-retry.ts';
import { keyInBrowser } from './rules/key-in-browser.ts';
import { logInTable } from './rules/log-in-table.ts';
import { lonePartition } from './rules/lone-partition.ts';
import { lostUpdate } from './rules/lost-update.ts';
import { lowDensity } from './rules/low-density.ts';
import { malformedBatch } from './rules/malformed-batch.ts';
import { missingProjection } from './rules/missing-projection.ts';
import { nagleOrExpect } from './rules/nagle-or-expect.ts';
import { nearLimit } from './rules/near-limit.ts';
import { noBackoff } from './rules/no-backoff.ts';
import { oldClient } from './rules/old-client.ts';
import { orOfKeys } from './rules/or-of-keys.ts';
import { partitionScan } from './rules/partition-scan.ts';
import { partitionTarget } from './rules/partition-target.ts';
import { percentInKey } from './rules/percent-in-key.ts';
import { prependOnlyKeys } from './rules/prepend-only-keys.ts';
import { readAfterWrite } from './rules/read-after-write.ts';
import { readBeforeWrite } from './rules/read-before-write.ts';
import { repeatedPropertyScan } from './rules/repeated-property-scan.ts';
import { replaceForMerge } from './rules/replace-for-merge.ts';
import { retryOfFinalError } from './rules/retry-of-final-error.ts';
import { rowKeyOnlyFilter } from './rules/row-key-only-filter.ts';
import { scanToModify } from './rules/scan-to-modify.ts';
import { scatteredGroup } from './rules/scattered-group.ts';
import { singleWrites } from './rules/single-writes.ts';
import { smallBatches } from './rules/small-batches.ts';
import { tableNameReused } from './rules/table-name-reused.ts';
import { tableScan } from './rules/table-scan.ts';
import { tinySeriesEntities } from './rules/tiny-series-entities.ts';
import { unpaddedNumbers } from './rules/unpadded-numbers.ts';
import type { RuleId } from './thresholds.ts';

const byId: Readonly<Record<RuleId, Rule>> = {
  'partition-target': partitionTarget,
  'account-target': accountTarget,
  'hot-partition': hotPartition,
  'hot-entity': hotEntity,
  'lone-partition': lonePartition,
  'scattered-group': scatteredGroup,
  'append-only-keys': appendOnlyKeys,
  'prepend-only-keys': prependOnlyKeys,
  burst,
  'table-scan': tableScan,
  'row-key-only-filter': rowKeyOnlyFilter,
  'partition-scan': partitionScan,
  'or-of-keys': orOfKeys,
  'filter-without-point-read': filterWithoutPointRead,
  'low-density': lowDensity,
  'repeated-property-scan': repeatedPropertyScan,
  'scan-to-modify': scanToModify,
  'chained-reads': chainedReads,
  'client-side-filter': clientSideFilter,
  'missing-projection': missingProjection,
  'single-writes': singleWrites,
  'small-batches': smallBatches,
  'group-across-tables': groupAcrossTables,
  'colliding-transactions': collidingTransactions,
  'malformed-batch': malformedBatch,
  'read-before-write': readBeforeWrite,
  'read-after-write': readAfterWrite,
  'replace-for-merge': replaceForMerge,
  'lost-update': lostUpdate,
  'immediate-retry': immediateRetry,
  'no-backoff': noBackoff,
  'retry-of-final-error': retryOfFinalError,
  'excess-parallelism': excessParallelism,
  'connection-churn': connectionChurn,
  'nagle-or-expect': nagleOrExpect,
  'atom-format': atomFormat,
  'full-metadata': fullMetadata,
  'old-client': oldClient,
  'tiny-series-entities': tinySeriesEntities,
  'log-in-table': logInTable,
  'high-volume-delete': highVolumeDelete,
  'table-name-reused': tableNameReused,
  'unpadded-numbers': unpaddedNumbers,
  'percent-in-key': percentInKey,
  'near-limit': nearLimit,
  'ignored-continuation': ignoredContinuation,
  'create-table-each-call': createTableEachCall,
  'key-in-browser': keyInBrowser,
};

export const rules: readonly Rule[] = Object.values(byId);

export const ruleOf = (id: RuleId): Rule => byId[id];
