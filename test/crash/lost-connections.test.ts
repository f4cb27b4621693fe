// Sends requests of all kinds while PostgreSQL ends connections and the server is killed. Run it by hand with:
// TANZANITE_ATTACK_ROUNDS=300 TANZANITE_TEST_SEED=1 npx vitest run test/crash/lost-connections.test.ts

import { describe, expect, it, onTestFinished } from 'vitest';
import { createDatabase, hasPostgres, queryDatabase } from '../support/postgres.ts';
import { testSeed as seed } from '../support/test-seed.ts';
import { Attack } from './attack.ts';

const rounds = Number(process.env['TANZANITE_ATTACK_ROUNDS'] ?? 3);

const endConnections = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name = 'tanzanite' AND datname = current_database()`;

describe.skipIf(!hasPostgres)('a server whose connections to PostgreSQL break', () => {
  it(`loses nothing that it acknowledged, and does nothing that it refused (seed ${seed})`, {
    timeout: 60_000 + rounds * 60_000,
  }, async () => {
    const { url, drop } = await createDatabase();
    let ended = 0;
    const underWay = new Set<Promise<unknown>>();
    const attack = new Attack({
      args: ['--store', url],
      isCertain: false,
      disturb() {
        const ending = queryDatabase(url, endConnections).finally(() => underWay.delete(ending));
        underWay.add(ending);
        ended += 1;
        return 'connections end';
      },
      calm: async () => void (await Promise.all(underWay)),
    });
    onTestFinished(async () => {
      await attack.stop('SIGKILL');
      await drop();
    });
    await attack.start();
    for (let round = 0; round < rounds; round++) await attack.round();
    expect(attack.counts.done).toBeGreaterThan(rounds * 5);
    expect(attack.counts.refused).toBeGreaterThan(rounds);
    expect(ended).toBeGreaterThan(0);
  });
});
