// For a longer run: npm run endurance -- --minutes 30

import { platform } from 'node:os';
import { describe, expect, it } from 'vitest';
import { testSeed as seed } from '../support/test-seed.ts';
import { endure, passedBounds } from './endurance.mjs';

describe.skipIf(platform() !== 'linux')('a server under mixed load', () => {
  it('does not take more and more memory, handles or disk', { timeout: 600_000 }, async () => {
    const { failures, counts } = await endure({ seconds: 60, seed });
    expect(failures).toEqual([]);
    expect(Object.entries(counts).filter(([, count]) => count === 0)).toEqual([]);
  });

  it('is reported if it leaks', () => {
    const steady = { memoryBytes: 1e8, handles: 30, fileBytes: 1e6, walBytes: 1e6, latencyMs: 1 };
    const samples = Array.from({ length: 30 }, (_, at) => ({ ...steady, at, handles: 30 + at * 4 }));
    expect(passedBounds(samples.map((sample) => ({ ...sample, handles: 30 })))).toEqual([]);
    expect(passedBounds(samples)).toEqual([expect.stringMatching(/^handles grew from/)]);
  });
});
