import type { Thresholds } from './thresholds.ts';

export interface BusiestPartition {
  readonly key: string;
  readonly requests: number;
  readonly ofRequests: number;
  readonly partitions: number;
}

/**
 * Returns the partition that gets more than `share` of the requests to a table. Returns undefined if there is no such
 * partition, or if there are too few requests or partitions to tell. `requests` maps each PartitionKey to its number of
 * requests.
 */
export function busiestPartition(
  requests: ReadonlyMap<string, number>,
  { share, operations, partitions }: Thresholds['hot-partition'],
): BusiestPartition | undefined {
  let ofRequests = 0;
  let busiest = { key: '', requests: 0 };
  for (const [key, count] of requests) {
    ofRequests += count;
    if (count > busiest.requests) busiest = { key, requests: count };
  }
  if (ofRequests < operations || requests.size < partitions) return undefined;
  return busiest.requests > ofRequests * share ? { ...busiest, ofRequests, partitions: requests.size } : undefined;
}
