// Runs the simulation with many seeds, on a simulated disk. To run more seeds, or to repeat a failed seed S:
//   npm run simulate -- --seeds 1 --seed S

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canFailDisks, compileDiskFaults } from '../support/disk-faults/disk-faults.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { bundleProcess } from './bundle.ts';
import type { Operation } from './operations.ts';
import type { Group, Life, Plan } from './plan.ts';
import { plantedFaults } from './planted/planted-faults.ts';
import { explainSeed, runSeeds, type SeedOutcome } from './seeds.ts';
import { type SimulationOptions, simulate } from './simulation.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const hasDisk = canFailDisks();
if (!hasDisk)
  console.warn('the simulated disk: skipped, it needs Linux and a C compiler; the same requests run in memory');

/** This is long enough for a busy machine. */
const timeout = 900_000;
const seeds = Array.from({ length: 50 }, (_, at) => at + 1);
const seedsTwice = seeds.slice(0, 10);
const seedsInMemory = seeds.slice(0, 5);

describe('the emulator on a simulated machine', { timeout }, () => {
  const folder = temporaryFolder();
  let options: SimulationOptions;
  let outcomes: readonly SeedOutcome[];

  beforeAll(async () => {
    const library = hasDisk ? compileDiskFaults(folder.path) : undefined;
    options = { process: await bundleProcess(root, folder.path), library, folder: folder.path };
  }, timeout);
  afterAll(() => folder.remove());

  it(`loses nothing that it acknowledged and does nothing that it refused, with ${seeds.length} seeds`, async () => {
    outcomes = await runSeeds({ ...options, seeds, together: 2 });
    const failed = outcomes.find(({ violation }) => violation !== undefined);
    if (failed) expect.fail(await explainSeed(failed.seed, options));
    const total = (name: 'done' | 'unknown' | 'crashes'): number =>
      outcomes.reduce((sum, { counts }) => sum + counts[name], 0);
    expect(total('done')).toBeGreaterThan(seeds.length * 10);
    if (hasDisk) expect([total('unknown') > 10, total('crashes') > 5]).toEqual([true, true]);
  });

  it('does the same for the same seed: requests, answers and calls on files', async () => {
    const again = await runSeeds({ ...options, seeds: seedsTwice, together: 2 });
    expect(again.map(({ hash }) => hash)).toEqual(outcomes.slice(0, seedsTwice.length).map(({ hash }) => hash));
    expect(new Set(again.map(({ hash }) => hash)).size).toBe(seedsTwice.length);
  });

  it('keeps the same promises with its data in memory', async () => {
    const inMemory = await runSeeds({ ...options, library: undefined, seeds: seedsInMemory, together: 2 });
    expect(inMemory.filter(({ violation }) => violation !== undefined)).toEqual([]);
  });

  it.skipIf(!hasDisk)('does not bring back a write that was refused because it could not be synced', async () => {
    const place = { account: 'devstoreaccount1', table: 'Pets' };
    const write = { verb: 'insert', row: 'p0/r0', isConditional: false, number: 1, hasExtra: false } as const;
    const group = (operation: Operation, disk: readonly string[] = []): Group => ({
      kind: 'group',
      seed: 5,
      operations: [operation],
      disk,
    });
    const steps: Life['steps'] = [
      group({ kind: 'createTable', ...place }),
      group({ kind: 'write', ...place, write }, ['fail 1 1 sync EIO 7']),
      { kind: 'verify' },
    ];
    const life: Life = { seed: 3, disk: [], dateMs: 0, end: 'kill', steps };
    const plan: Plan = { seed: 1, durability: 'power', tableDeleteDelayMs: 0, lives: [life] };
    const { violation, counts } = await simulate(plan, { ...options, folder: join(folder.path, 'refused') });
    expect(violation).toBeUndefined();
    expect(counts).toMatchObject({ done: 1, unknown: 1 });
  });

  it('fails with a planted fault, and the failing history is shortened', async () => {
    const { patches } = plantedFaults.find(({ name }) => name === 'torn-batch') ?? { patches: [] };
    const planted = { ...options, library: undefined, process: await bundleProcess(root, folder.path, patches) };
    const found = await runSeeds({ ...planted, seeds, endsAtFirst: true });
    const { seed = 0, violation, history = [] } = found.at(-1) ?? {};
    expect(violation).toBeDefined();
    const explained = await explainSeed(seed, planted, 12);
    expect(explained).toContain(`seed ${seed}, the shortest history:`);
    expect(explained.split('\n').length).toBeLessThan(history.length / 2);
  });
});
