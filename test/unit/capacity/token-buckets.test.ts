import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PartitionBuckets, TokenBucket } from '../../../src/capacity/token-buckets.ts';

const step = fc.record({
  afterUs: fc.oneof(fc.nat(2_000), fc.nat(3_000_000)),
  units: fc.integer({ min: 1, max: 300 }),
});

describe('TokenBucket', () => {
  it('admits no more than its level and refill, and always what it reports as available', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.array(step), (rate, steps) => {
        const bucket = new TokenBucket(rate, 0);
        // The level in millionths of a unit, as a whole number.
        let level = rate * 1_000_000;
        let nowUs = 0;
        for (const { afterUs, units } of steps) {
          nowUs += afterUs;
          level = Math.min(rate * 1_000_000, level + rate * afterUs);
          const has = level >= Math.min(units, rate) * 1_000_000;
          expect(bucket.has(units, nowUs)).toBe(has);
          if (has) {
            bucket.take(units, nowUs);
            level -= units * 1_000_000;
          }
          expect(bucket.unitsAt(nowUs)).toBe(level / 1_000_000);
        }
      }),
    );
  });

  it('reports the first moment at which it has enough units', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.array(step), (rate, steps) => {
        const bucket = new TokenBucket(rate, 0);
        let nowUs = 0;
        for (const { afterUs, units } of steps) {
          nowUs += afterUs;
          bucket.take(units, nowUs);
          const readyUs = bucket.readyAtUs(units);
          if (readyUs > nowUs) expect(bucket.has(units, readyUs - 1)).toBe(false);
          expect(bucket.has(units, readyUs)).toBe(true);
          nowUs = readyUs;
        }
      }),
    );
  });

  it('can contain at least one unit, so that any target admits something', () => {
    const bucket = new TokenBucket(0.25, 0);
    bucket.take(1, 0);
    expect(bucket.readyAtUs(1)).toBe(4_000_000);
    expect(bucket.has(1, 3_999_999)).toBe(false);
    expect(bucket.has(1, 4_000_000)).toBe(true);
  });

  it('does not drain if the clock goes back', () => {
    const bucket = new TokenBucket(100, 1_000_000);
    bucket.take(50, 1_000_000);
    expect(bucket.unitsAt(0)).toBe(50);
  });
});

describe('PartitionBuckets', () => {
  const uses = fc.array(
    fc.record({ partition: fc.nat(39), afterUs: fc.oneof(fc.nat(100), fc.nat(300_000)), units: fc.nat(30) }),
    { maxLength: 500 },
  );

  it('are as exact as one bucket per partition while there are fewer partitions than their limit', () => {
    fc.assert(
      fc.property(uses, (steps) => {
        const buckets = new PartitionBuckets({ unitsPerSecond: 20, bucketsMax: 40 });
        const naive = Array.from({ length: 40 }, () => new TokenBucket(20, 0));
        let nowUs = 0;
        for (const { partition, afterUs, units } of steps) {
          nowUs += afterUs;
          const [bucket, expected] = [buckets.of(`p${partition}`, nowUs), naive[partition]!];
          expect(bucket.unitsAt(nowUs)).toBe(expected.unitsAt(nowUs));
          bucket.take(units, nowUs);
          expected.take(units, nowUs);
        }
      }),
    );
  });

  it('never exceed their limit, and keep the buckets with the largest debt', () => {
    const buckets = new PartitionBuckets({ unitsPerSecond: 2_000, bucketsMax: 1_000 });
    for (const hot of ['hot1', 'hot2', 'hot3']) buckets.of(hot, 0).take(100_000, 0);
    for (let at = 0; at < 1_000_000; at++) {
      buckets.of(`p${at}`, at).take(1, at);
      if (at % 1_000 === 0) expect(buckets.size).toBeLessThanOrEqual(1_000);
    }
    for (const hot of ['hot1', 'hot2', 'hot3']) expect(buckets.of(hot, 1_000_000).unitsAt(1_000_000)).toBe(-96_000);
  });

  it('drop buckets that are full again', () => {
    const buckets = new PartitionBuckets({ unitsPerSecond: 2_000, bucketsMax: 32_768 });
    for (let at = 0; at < 20_000; at++) buckets.of(`old${at}`, 0).take(1, 0);
    for (let at = 0; at < 20_000; at++) buckets.of(`new${at}`, 1_000_000).take(1, 1_000_000);
    expect(buckets.size).toBeLessThanOrEqual(20_000);
  });
});
