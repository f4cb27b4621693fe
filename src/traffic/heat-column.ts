// Counts the load on the keys of one table during a few seconds. The counts are kept for a limited number of clusters
// of adjacent partition keys. A partition with much load stays a separate cluster. Adjacent clusters with little load
// are merged, and their loads are added.

import { copyString } from '../model/copy-string.ts';
import { firstIndex } from '../model/first-index.ts';

/** What is counted. Units are entity units (1 KiB). */
export interface Load {
  units: number;
  requests: number;
  refusals: number;
  /** Requests that were answered, although production would have refused them because of their load. */
  wouldThrottle: number;
}

/** The load of the partition keys from `first` to `last`. Both of these keys were used. */
export interface Cluster extends Load {
  first: string;
  last: string;
}

/** The load of pages of queries over several partitions: from `first` (inclusive) to `before` (exclusive). */
export interface Sweep extends Load {
  readonly first: string;
  /** Undefined at the end of the table. */
  readonly before: string | undefined;
}

const clustersMax = 48;
const sweepsMax = 8;
/** Longer keys are cut. Keys with the same beginning then count as one. */
const keyCharsMax = 128;

export class HeatColumn {
  /** Number of the column, counted since the beginning of machine time. */
  readonly at: number;
  /**
   * The partition keys with which the ranges of the table begin, in order. The first range is left out. As long as the
   * ranges do not change, columns share one array.
   */
  readonly rangeStarts: readonly string[];
  /** In key order; none overlaps another. */
  readonly clusters: Cluster[] = [];
  readonly sweeps: Sweep[] = [];

  constructor(at: number, rangeStarts: readonly string[]) {
    this.at = at;
    this.rangeStarts = rangeStarts;
  }

  /** Counts what happened to one partition. */
  add(partitionKey: string, load: Load): void {
    const key = partitionKey.length > keyCharsMax ? partitionKey.slice(0, keyCharsMax) : partitionKey;
    const at = this.#indexOf(key);
    const cluster = this.clusters[at];
    if (cluster !== undefined && cluster.first <= key) {
      addLoad(cluster, load);
      return;
    }
    const own = copyString(key);
    this.clusters.splice(at, 0, { first: own, last: own, ...load });
    if (this.clusters.length > clustersMax) this.#mergeLightest();
  }

  /** Counts what happened to all partitions of a range; `before` is undefined for the end of the table. */
  addSweep(first: string, before: string | undefined, load: Load): void {
    const known = this.sweeps.find((sweep) => sweep.first === first && sweep.before === before);
    if (known) addLoad(known, load);
    else if (this.sweeps.length < sweepsMax) {
      this.sweeps.push({
        first: copyString(first),
        before: before === undefined ? before : copyString(before),
        ...load,
      });
    } else this.#widenLastSweep(first, before, load);
  }

  /** Index of the first cluster that ends at the key or after it. */
  #indexOf(key: string): number {
    const { clusters } = this;
    return firstIndex(clusters.length, (at) => (clusters[at] as Cluster).last >= key);
  }

  /** Merges the two neighbours that have the least load together. */
  #mergeLightest(): void {
    const { clusters } = this;
    let [lightest, least] = [0, Number.POSITIVE_INFINITY];
    for (let at = 0; at + 1 < clusters.length; at++) {
      const weight = weightOf(clusters[at] as Cluster) + weightOf(clusters[at + 1] as Cluster);
      if (weight < least) [lightest, least] = [at, weight];
    }
    const [merged, next] = [clusters[lightest] as Cluster, clusters[lightest + 1] as Cluster];
    addLoad(merged, next);
    merged.last = next.last;
    clusters.splice(lightest + 1, 1);
  }

  #widenLastSweep(first: string, before: string | undefined, load: Load): void {
    const last = this.sweeps.pop() as Sweep;
    const isLater = before !== undefined && last.before !== undefined && before > last.before;
    const sweep = {
      ...last,
      first: first < last.first ? copyString(first) : last.first,
      before: before === undefined ? before : isLater ? copyString(before) : last.before,
    };
    addLoad(sweep, load);
    this.sweeps.push(sweep);
  }
}

export const noLoad = (): Load => ({ units: 0, requests: 0, refusals: 0, wouldThrottle: 0 });

/** Adds a share of a load; 1 is all of it. */
export function addLoad(sum: Load, { units, requests, refusals, wouldThrottle }: Load, share = 1): void {
  sum.units += units * share;
  sum.requests += requests * share;
  sum.refusals += refusals * share;
  sum.wouldThrottle += wouldThrottle * share;
}

/** A refused request has no units, but counts nevertheless. */
const weightOf = ({ units, requests }: Load): number => units + requests;
