import { describe, expect, it } from 'vitest';
import { ReadSampling } from '../../../src/advisor/read-sampling.ts';

const weighAll = (sampling: ReadSampling, count: number, startMs = 0): number[] =>
  Array.from({ length: count }, () => sampling.weigh(startMs));
const sum = (weights: readonly number[]): number => weights.reduce((a, b) => a + b, 0);

describe('ReadSampling', () => {
  it('keeps each of the first 256 reads of a second', () => {
    const sampling = new ReadSampling();
    for (const startMs of [0, 1_000, 5_500]) expect(weighAll(sampling, 256, startMs)).toEqual(Array(256).fill(1));
  });

  it('keeps about one of 32 further reads, which represent all of them', () => {
    const weights = weighAll(new ReadSampling(), 100_000);
    expect(Math.abs(sum(weights) - 100_000)).toBeLessThan(64);
    const kept = weights.slice(256).filter((weight) => weight > 0);
    expect(kept.length).toBeGreaterThan(100_000 / 36);
    expect(kept.length).toBeLessThan(100_000 / 30);
    expect(new Set(kept).size).toBe(64);
  });

  it('keeps a read that follows another kind of request', () => {
    const sampling = new ReadSampling();
    weighAll(sampling, 600);
    for (let time = 0; time < 100; time++) {
      sampling.interrupt();
      expect(sampling.weigh(0)).toBeGreaterThan(0);
    }
  });

  it('is steady after 32 reads in a row', () => {
    const sampling = new ReadSampling();
    weighAll(sampling, 32);
    expect(sampling.isSteady).toBe(false);
    sampling.weigh(0);
    expect(sampling.isSteady).toBe(true);
    sampling.interrupt();
    expect(sampling.isSteady).toBe(false);
    sampling.weigh(0);
    expect(sampling.isSteady).toBe(false);
  });
});
