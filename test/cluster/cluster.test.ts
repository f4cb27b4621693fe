import { describe, expect, it } from 'vitest';
import { findPostgres } from '../support/postgres-server.mjs';
import { testSeed as seed } from '../support/test-seed.ts';
import { CarelessNode } from './careless-node.ts';
import { runFaults } from './rig.mjs';

const hasPostgres = findPostgres() !== undefined;
if (!hasPostgres) console.warn('skipped: there is no PostgreSQL on this machine (initdb and postgres in PATH)');

describe.runIf(hasPostgres)(`three nodes over one database (npm run cluster -- --seed ${seed})`, () => {
  it('answer as one service while nodes and the database are killed', { timeout: 400_000 }, async () => {
    const { violations, answered } = await runFaults({ count: 5, seed });
    expect(violations).toEqual([]);
    expect(answered).toBeGreaterThan(200);
  });

  it('answer as one service while a standby replaces the primary', { timeout: 400_000 }, async () => {
    const kinds = ['failOver', 'killNode'];
    const { violations, answered } = await runFaults({ count: 3, seed, hasStandby: true, kinds });
    expect(violations).toEqual([]);
    expect(answered).toBeGreaterThan(100);
  });
});

describe.runIf(hasPostgres)('the checker', () => {
  it('detects a store that answers before its commit is on disk', { timeout: 400_000 }, async () => {
    const settings = { synchronous_commit: 'off', wal_writer_delay: '10s' };
    const { violations } = await runFaults({ count: 3, seed, kinds: ['killDatabase'], settings });
    expect(violations.join('\n')).toMatch(/none of these fits|with a sum of|is gone/);
  });

  it('detects a store that compares ETags without a lock', { timeout: 400_000 }, async () => {
    const openNode = (store: string) => new CarelessNode(store);
    const { violations } = await runFaults({ count: 3, seed, kinds: ['breakConnections'], openNode });
    expect(violations.join('\n')).toMatch(/none of these fits|with a sum of/);
  });
});
