import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { testSeed as seed } from '../support/test-seed.ts';
import { runKills } from './rig.mjs';

describe(`a server killed with kill -9 (npm run crash -- --seed ${seed})`, () => {
  it('has every acknowledged write after a restart, and no partial one', { timeout: 180_000 }, async () => {
    const { failures, passed, acknowledged, transactions } = await runKills({ kills: 10, seed });
    expect(failures).toEqual([]);
    expect(passed).toBe(10);
    expect(acknowledged).toBeGreaterThan(100);
    expect(transactions.applied).toBeGreaterThan(10);
    expect(transactions.refused).toBeGreaterThan(5);
  });

  it('is detected if it loses writes', { timeout: 120_000 }, async () => {
    const { failed, failures, kept } = await runKills({ kills: 2, seed: 1, flags: ['--inMemoryPersistence'] });
    for (const folder of kept) rmSync(folder, { recursive: true, force: true });
    expect(failed).toBeGreaterThan(0);
    expect(failures.join('\n')).toMatch(/writer\d\/key\d+: found undefined, not /);
  });
});
