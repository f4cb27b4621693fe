import { describe, expect, it } from 'vitest';
import { KeyOrder } from '../../../src/advisor/key-order.ts';
import { newRandom } from '../capacity/scenario.ts';

const thresholds = { share: 0.95, partitions: 200 };
const key = (index: number): string => String(index).padStart(8, '0');

function watch(count: number, keyAt: (index: number) => string, watched = new KeyOrder()): KeyOrder {
  for (let index = 0; index < count; index++) watched.add({ partitionKey: keyAt(index), rowKey: 'r' }, true);
  return watched;
}

describe('The order of keys', () => {
  it('is unknown after a few partitions, however many writes they have', () => {
    expect(watch(199, key).pattern(thresholds)).toBeUndefined();
    expect(watch(10_000, (index) => key(index % 150)).pattern(thresholds)).toBeUndefined();
  });

  it.each([200, 1_999, 2_000, 50_000])('is found after %d partitions', (count) => {
    const random = newRandom();
    expect(watch(count, key).pattern(thresholds)).toBe('append-only');
    expect(watch(count, (index) => key(99_999_999 - index)).pattern(thresholds)).toBe('prepend-only');
    // Some new keys are not counted, because they share a bit with known keys in the set.
    expect(watch(count + 50, () => key(random(10_000_000))).pattern(thresholds)).toBe('spread');
  });

  it('is found even if one key in fifty is late', () => {
    expect(watch(5_000, (index) => key(index % 50 ? index * 2 : index * 2 - 81)).pattern(thresholds)).toBe(
      'append-only',
    );
  });

  it.each([3, 20, 100])('is found for partitions with %d writes each, which alternate with old ones', (each) => {
    const growing = (index: number): string => key(index % 2 ? 0 : Math.floor(index / each));
    expect(watch(300 * each, growing).pattern(thresholds)).toBe('append-only');
    const falling = (index: number): string => key(99_999 - Math.floor(index / each));
    expect(watch(300 * each, falling).pattern(thresholds)).toBe('prepend-only');
  });

  it('does not include updates, because their partitions exist already', () => {
    const watched = new KeyOrder();
    for (let index = 0; index < 1_000; index++) watched.add({ partitionKey: key(index), rowKey: '' }, false);
    expect(watched.pattern(thresholds)).toBeUndefined();
  });

  it('is found in spite of one old key that lies beyond all others', () => {
    const watched = new KeyOrder();
    watched.add({ partitionKey: 'settings', rowKey: '' }, true);
    watch(1_000, key, watched);
    expect(watched.pattern(thresholds)).toBe('spread');
    watch(20_000, (index) => key(1_000 + index), watched);
    expect(watched.pattern(thresholds)).toBe('append-only');
  });

  it('follows a table in which the order of keys changes', () => {
    const watched = watch(10_000, key);
    watch(20_000, (index) => key(99_999_999 - index), watched);
    expect(watched.pattern(thresholds)).toBe('prepend-only');
  });
});
