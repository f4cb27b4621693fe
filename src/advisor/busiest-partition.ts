import type { Thresholds } from './thresholds.ts';

export interface BusiestPartition {
  readonly key: string;
  readonly requests: number;
  readonly ofRequests: number;
  readonly partitions: number;
}

/** The partition that takes most of the requests to a table, if that is too many of them. */
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
