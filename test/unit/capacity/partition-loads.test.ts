import { describe, expect, it } from 'vitest';
import { LoadWindow } from '../../../src/capacity/load.ts';
import { partitionName } from '../../../src/capacity/partition-name.ts';
import { PartitionBuckets } from '../../../src/capacity/token-buckets.ts';
import { newRandom } from './scenario.ts';

const bucketsMax = 4_096;
const open = (): PartitionBuckets => new PartitionBuckets({ unitsPerSecond: 2_000, bucketsMax });

function use(buckets: PartitionBuckets, name: string, { units, nowUs }: { units: number; nowUs: number }): void {
  const bucket = buckets.of(partitionName('Orders', name), nowUs);
  bucket.count(units, nowUs);
  bucket.take(units, nowUs);
}

describe('The loads of partitions', () => {
  it('are found for heavy partitions among a million light ones, in bounded memory', () => {
    const random = newRandom();
    const buckets = open();
    const exact = new Map<string, number>();
    for (let at = 0; at < 1_000_000; at++) {
      const nowUs = 1_000_000 + at * 9;
      use(buckets, `light${at}`, { units: 1, nowUs });
      if (at % 10 > 0) continue;
      // A tenth of the load goes to five partitions. The first of them is the heaviest.
      const heavy = `heavy${Math.min(random(5), random(5))}`;
      use(buckets, heavy, { units: 1, nowUs });
      exact.set(heavy, (exact.get(heavy) ?? 0) + 1);
    }
    const nowUs = 10_999_999;
    const top = buckets.heaviest(5, nowUs);
    expect(top.map(({ partitionKey }) => partitionKey)).toEqual([0, 1, 2, 3, 4].map((at) => `heavy${at}`));
    for (const { partitionKey, unitsPerSecond } of top) {
      const units = Math.round(unitsPerSecond * 10);
      // If a bucket is full again before the partition has its own window, the bucket is dropped.
      expect(units).toBeLessThanOrEqual(exact.get(partitionKey)!);
      expect(units).toBeGreaterThan(exact.get(partitionKey)! - 64);
    }
    expect(buckets.size).toBeLessThanOrEqual(bucketsMax);
  });

  it('are averages over the last ten seconds, like the loads of tables and accounts', () => {
    const buckets = open();
    const load = new LoadWindow();
    for (let ms = 0; ms < 47_000; ms += 10) {
      const units = 1 + Math.floor(ms / 5_000);
      const nowUs = ms * 1_000;
      use(buckets, 'a/b', { units, nowUs });
      load.add(units, nowUs);
      if (ms < 1_000) continue;
      expect(buckets.heaviest(1, nowUs)).toEqual([
        { table: 'Orders', partitionKey: 'a/b', unitsPerSecond: load.perSecond(nowUs), refused: 0 },
      ]);
    }
    expect(buckets.heaviest(1, 60_000_000)).toEqual([]);
  });

  it('are dropped after ten seconds, even if they are small', () => {
    const buckets = open();
    use(buckets, 'few', { units: 3, nowUs: 0 });
    expect(buckets.heaviest(1, 9_000_000)).toMatchObject([{ partitionKey: 'few', unitsPerSecond: 0.3 }]);
    expect(buckets.heaviest(1, 10_000_000)).toEqual([]);
  });

  it('keep refusals for the partition always, and for its range if the partition is not light', () => {
    const buckets = open();
    use(buckets, 'light', { units: 1, nowUs: 0 });
    use(buckets, 'heavy', { units: 100, nowUs: 0 });
    for (const name of ['light', 'heavy']) {
      const bucket = buckets.of(partitionName('Orders', name), 0);
      bucket.countRefusal(0, true);
      bucket.countRefusal(0, false);
    }
    expect(buckets.heaviest(2, 0)).toMatchObject([
      { partitionKey: 'heavy', refused: 2 },
      { partitionKey: 'light', refused: 1 },
    ]);
  });
});
