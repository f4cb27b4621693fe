import { describe, expect, it } from 'vitest';
import { KeyOrder } from '../../../src/capacity/load.ts';
import { newRandom } from './scenario.ts';

const key = (index: number): string => String(index).padStart(8, '0');

function watch(count: number, keyAt: (index: number) => string, watched = new KeyOrder()): KeyOrder {
  for (let index = 0; index < count; index++) watched.note(keyAt(index));
  return watched;
}

describe('KeyOrder', () => {
  it('finds no pattern in a few writes', () => {
    expect(watch(199, key).pattern()).toBeUndefined();
  });

  it.each([200, 1_999, 2_000, 50_000])('finds each pattern after %d writes', (count) => {
    const random = newRandom();
    expect(watch(count, key).pattern()).toBe('append-only');
    expect(watch(count, (index) => key(99_999_999 - index)).pattern()).toBe('prepend-only');
    expect(watch(count, () => 'same').pattern()).toBe('single partition');
    expect(watch(count, () => key(random(1_000_000))).pattern()).toBe('spread');
  });

  it('finds growing keys even if one in fifty comes late', () => {
    expect(watch(5_000, (index) => key(index % 50 ? index : index - 40)).pattern()).toBe('append-only');
  });

  it('reports two alternating keys as spread', () => {
    expect(watch(5_000, (index) => key(index % 2)).pattern()).toBe('spread');
  });

  it.each([
    ['the lowest', 'aaa'],
    ['the highest', 'zzz'],
    ['any', 'mmm'],
  ])('does not report a hot partition as growing keys, if its key is %s', (_, hot) => {
    const random = newRandom();
    const other = (): string => String.fromCharCode(98 + random(24)).repeat(3);
    const isOther = (): boolean => random(100) < 3;
    expect(watch(3_000, () => (isOther() ? other() : hot)).pattern()).toBe('single partition');
  });

  it('does not report a few successive keys as growing keys', () => {
    expect(watch(400, (index) => (index < 300 ? 'a' : 'b')).pattern()).toBe('spread');
  });

  it.each([3, 20, 100])('finds growing keys of %d writes each', (each) => {
    expect(watch(10_000, (index) => key(Math.floor(index / each))).pattern()).toBe('append-only');
    expect(watch(10_000, (index) => key(99_999 - Math.floor(index / each))).pattern()).toBe('prepend-only');
  });

  it('ignores an old key that lies beyond all others', () => {
    const watched = new KeyOrder();
    watched.note('settings');
    watch(1_000, key, watched);
    expect(watched.pattern()).toBe('spread');
    watch(10_000, (index) => key(1_000 + index), watched);
    expect(watched.pattern()).toBe('append-only');
  });

  it('follows a table whose pattern changes', () => {
    const watched = watch(10_000, key);
    watch(10_000, (index) => key(99_999_999 - index), watched);
    expect(watched.pattern()).toBe('prepend-only');
  });
});
