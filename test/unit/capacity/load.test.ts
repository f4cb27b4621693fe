import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeySample, LoadWindow } from '../../../src/capacity/load.ts';
import { newRandom } from './scenario.ts';

const second = 1_000_000;

describe('KeySample', () => {
  const keys = fc.array(fc.string({ maxLength: 2 }), { minLength: 1, maxLength: 200 });

  it('divides any load of two partitions at a key that is not the lowest', () => {
    fc.assert(
      fc.property(keys, (load) => {
        const sample = new KeySample(256);
        for (const key of load) sample.add(key, 2);
        const lowest = load.toSorted()[0]!;
        const median = sample.median();
        if (!median) {
          expect(new Set(load).size).toBe(1);
          return;
        }
        expect(load).toContain(median.key);
        expect(median.key > lowest).toBe(true);
        expect(median.shareBelow).toBeGreaterThan(0);
        expect(median.shareBelow).toBeLessThan(1);
      }),
    );
  });

  it('divides a load that is spread over many keys into halves', () => {
    const random = newRandom();
    const sample = new KeySample(100_000);
    for (let at = 0; at < 100_000; at++) sample.add(String(random(1_000)).padStart(3, '0'), 1);
    const { key, shareBelow } = sample.median()!;
    expect(shareBelow).toBeCloseTo(0.5, 1);
    expect(Number(key)).toBeGreaterThan(400);
    expect(Number(key)).toBeLessThan(600);
  });

  it('divides a load of alternating keys into halves', () => {
    const sample = new KeySample(256 * 100);
    for (let at = 0; at < 256 * 100; at++) sample.add(String(at % 100).padStart(2, '0'), 1);
    expect(sample.median()!.shareBelow).toBeCloseTo(0.5, 1);
    expect(Number(sample.median()!.key)).toBeGreaterThan(35);
    expect(Number(sample.median()!.key)).toBeLessThan(65);
  });

  it('puts the boundary next to a partition with most of the load', () => {
    const sample = new KeySample(256);
    for (let at = 0; at < 250; at++) sample.add(at % 10 ? 'm' : at % 20 ? 'a' : 'z', 1);
    expect(['m', 'z']).toContain(sample.median()!.key);
  });

  it('has no median without load, or with one partition', () => {
    const sample = new KeySample(256);
    expect(sample.median()).toBeUndefined();
    for (let at = 0; at < 1_000; at++) sample.add('same', 1);
    expect(sample.median()).toBeUndefined();
  });

  it('keeps at most 256 keys, however sudden the load is', () => {
    const sample = new KeySample(256);
    sample.add('a', 1_000_000_000);
    for (let at = 0; at < 10_000; at++) sample.add(`p${at}`, 1_000);
    expect(sample.size).toBe(256);
  });
});

describe('LoadWindow', () => {
  const steps = fc.array(fc.record({ afterUs: fc.nat(2 * second), units: fc.nat(100) }));

  it('covers the last nine to ten seconds', () => {
    fc.assert(
      fc.property(steps, fc.nat(15 * second), (events, laterUs) => {
        const load = new LoadWindow();
        const seen: { slot: number; units: number }[] = [];
        let nowUs = 0;
        for (const { afterUs, units } of events) {
          nowUs += afterUs;
          load.add(units, nowUs);
          seen.push({ slot: Math.floor(nowUs / second), units });
        }
        nowUs += laterUs;
        const newest = Math.floor(nowUs / second);
        const recent = seen.filter(({ slot }) => slot > newest - 10).reduce((sum, { units }) => sum + units, 0);
        expect(load.perSecond(nowUs)).toBeCloseTo(recent / (9 + (nowUs % second) / second), 6);
      }),
    );
  });

  it('shows a steady load exactly at any moment', () => {
    const load = new LoadWindow();
    for (let ms = 1; ms <= 30_000; ms++) {
      load.add(2, ms * 1_000);
      if (ms > 12_000 && ms % 100 === 50) expect(load.perSecond(ms * 1_000)).toBeCloseTo(2_000, -1);
    }
  });

  it('keeps the averages at each whole second', () => {
    fc.assert(
      fc.property(steps, fc.nat(15 * second), (events, laterUs) => {
        const seconds = 20;
        const load = new LoadWindow(seconds);
        const seen: { slot: number; units: number }[] = [];
        let nowUs = 0;
        for (const { afterUs, units } of events) {
          nowUs += afterUs;
          load.add(units, nowUs);
          seen.push({ slot: Math.floor(nowUs / second), units });
        }
        nowUs += laterUs;
        const newest = Math.floor(nowUs / second);
        const averages = Array.from({ length: seconds }, (_, at) => {
          const end = newest - seconds + 1 + at;
          const before = seen.filter(({ slot }) => slot >= end - 10 && slot < end);
          return before.reduce((sum, { units }) => sum + units, 0) / 10;
        });
        expect(load.history(nowUs)).toEqual(averages);
        expect(load.part(0.5).history(nowUs)).toEqual(averages.map((units) => units / 2));
      }),
    );
  });

  it('is empty after ten seconds, and after a day', () => {
    const load = new LoadWindow();
    load.add(100, 0);
    expect(load.perSecond(10 * second - 1)).toBeCloseTo(10, 3);
    expect(load.perSecond(10 * second)).toBe(0);
    load.add(100, 10 * second);
    expect(load.perSecond(86_400 * second)).toBe(0);
  });

  it('splits into parts that add up to the whole', () => {
    const load = new LoadWindow();
    for (let at = 0; at < 8; at++) load.add(at * 10, at * second);
    const nowUs = 9.5 * second;
    const [low, high] = [load.part(0.25), load.part(0.75)];
    expect(low.perSecond(nowUs)).toBeCloseTo(load.perSecond(nowUs) / 4, 9);
    expect(high.plus(low, nowUs).perSecond(nowUs)).toBeCloseTo(load.perSecond(nowUs), 9);
  });
});
