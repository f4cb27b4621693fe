import type { HeatColumn } from '../../traffic/heat-column.ts';

/** What a heat map shows that a design should avoid. */
export type HeatSign =
  /** `share` of the requests go to one partition of several: 0 to 1. */
  | { readonly kind: 'hot partition'; readonly partitionKey: string; readonly share: number }
  /** All requests go to one partition. */
  | { readonly kind: 'lone partition'; readonly partitionKey: string; readonly share: number }
  /** Most requests go beyond the highest key so far, or below the lowest one. */
  | { readonly kind: 'append-only' | 'prepend-only' };

/** Fewer requests show no pattern. */
const requestsMin = 100;
const loneShare = 0.98;
const hotShare = 0.2;
/** A hot partition has so many times the load of an average one; of few partitions, so large a share. */
const hotFactor = 3;
const hotShareOfFew = 0.6;
const hotMax = 3;
const stepsMin = 5;
/** Of the columns, and of the requests in one. */
const stepShare = 0.75;

/** Reads the signs from the columns of a table, in the order of time. */
export function signsOf(columns: readonly HeatColumn[]): readonly HeatSign[] {
  const all = columns.flatMap(({ clusters }) => clusters);
  const total = all.reduce((sum, { requests }) => sum + requests, 0);
  if (total < requestsMin) return [];
  const partitions = new Map<string, number>();
  const keys = new Set<string>();
  for (const { first, last, requests } of all) {
    keys.add(first).add(last);
    if (first === last) partitions.set(first, (partitions.get(first) ?? 0) + requests);
  }
  const heaviest = [...partitions]
    .map(([partitionKey, requests]) => ({ partitionKey, share: requests / total }))
    .sort((a, b) => b.share - a.share);
  const [lone] = heaviest;
  if (lone && lone.share >= loneShare) return [{ kind: 'lone partition', ...lone }];
  const hotFrom = Math.max(hotShare, Math.min(hotShareOfFew, hotFactor / keys.size));
  return [
    ...heaviest
      .filter(({ share }) => share >= hotFrom)
      .slice(0, hotMax)
      .map((partition) => ({ kind: 'hot partition' as const, ...partition })),
    ...orderOf(columns),
  ];
}

/** Whether column after column goes beyond all keys before. */
function orderOf(columns: readonly HeatColumn[]): readonly HeatSign[] {
  const used = columns.filter(({ clusters }) => clusters.length > 0);
  const seen = { lowest: '', highest: '' };
  const steps = { up: 0, down: 0 };
  for (const [at, { clusters }] of used.entries()) {
    const requests = clusters.reduce((sum, cluster) => sum + cluster.requests, 0);
    const partOf = (isBeyond: (key: { first: string; last: string }) => boolean): number =>
      clusters.filter(isBeyond).reduce((sum, cluster) => sum + cluster.requests, 0) / requests;
    if (at > 0 && partOf(({ last }) => last > seen.highest) >= stepShare) steps.up += 1;
    if (at > 0 && partOf(({ first }) => first < seen.lowest) >= stepShare) steps.down += 1;
    const [low, high] = [clusters[0]?.first ?? '', clusters.at(-1)?.last ?? ''];
    if (at === 0 || low < seen.lowest) seen.lowest = low;
    if (at === 0 || high > seen.highest) seen.highest = high;
  }
  const enough = Math.max(stepsMin, (used.length - 1) * stepShare);
  if (steps.up >= enough) return [{ kind: 'append-only' }];
  return steps.down >= enough ? [{ kind: 'prepend-only' }] : [];
}
