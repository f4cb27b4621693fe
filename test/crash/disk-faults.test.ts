// Sends requests of all kinds while calls on files fail and the server is killed. Run it by hand with:
// TANZANITE_ATTACK_ROUNDS=300 TANZANITE_TEST_SEED=1 npx vitest run test/crash/disk-faults.test.ts

import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { accounts } from '../simulation/operations.ts';
import {
  canFailDisks,
  type DiskFault,
  type DiskFaults,
  prepareDiskFaults,
} from '../support/disk-faults/disk-faults.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { testSeed as seed } from '../support/test-seed.ts';
import { Attack, type Target } from './attack.ts';

const rounds = Number(process.env['TANZANITE_ATTACK_ROUNDS'] ?? 5);
const isPossible = canFailDisks();
if (!isPossible) console.warn('requests while the disk fails: skipped, they need Linux and a C compiler');

const kinds: readonly DiskFault['calls'][] = [
  ['write'],
  ['write'],
  ['write'],
  ['sync'],
  ['read'],
  ['open'],
  ['unlink'],
];

const filesOf = (data: string, faults: DiskFaults): Target => ({
  args: ['--location', data],
  env: faults.env,
  isCertain: true,
  disturb(random) {
    const fault: DiskFault = {
      calls: kinds[random.integer(0, kinds.length - 1)] ?? ['write'],
      error: random.next() < 0.7 ? 'EIO' : 'ENOSPC',
      first: random.integer(1, 4),
      count: random.integer(0, 3),
      path: join(data, accounts[random.integer(0, accounts.length - 1)] ?? ''),
    };
    faults.begin(fault);
    return Object.values(fault).join(' ');
  },
  calm: async () => faults.end(),
});

describe.skipIf(!isPossible)('a server whose disk fails', () => {
  it(`loses nothing that it acknowledged, and does nothing that it refused (seed ${seed})`, {
    timeout: 60_000 + rounds * 30_000,
  }, async () => {
    const folder = temporaryFolder();
    const faults = prepareDiskFaults(folder.path);
    const attack = new Attack(filesOf(join(folder.path, 'data'), faults));
    onTestFinished(async () => {
      await attack.stop('SIGKILL');
      folder.remove();
    });
    await attack.start();
    // A fault on a call that the server does not make hits nothing, so a few more rounds may be needed.
    for (let round = 0; round < rounds || (faults.hits.length === 0 && round < 4 * rounds); round++)
      await attack.round();
    expect(attack.counts.done).toBeGreaterThan(rounds * 5);
    expect(attack.counts.refused).toBeGreaterThan(rounds);
    expect(faults.hits.length).toBeGreaterThan(0);
  });
});
