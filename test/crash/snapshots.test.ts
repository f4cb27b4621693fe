// Kills a server while it saves and restores snapshots. Run it by hand with: TANZANITE_SNAPSHOT_KILLS=100 npx vitest
// run test/crash/snapshots.test.ts
import { setTimeout as sleep } from 'node:timers/promises';
import { TableClient } from '@azure/data-tables';
import { expect, it } from 'vitest';
import { keyConnectionString } from '../../src/auth/connection-string.ts';
import { Random } from '../support/random.mjs';
import { ServerProcess } from '../support/server-process.mjs';
import { developmentKey } from '../support/table-client.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { testSeed as seed } from '../support/test-seed.ts';

const kills = Number(process.env['TANZANITE_SNAPSHOT_KILLS'] ?? 5);
const account = 'devstoreaccount1';
const tables = ['Pets', 'Plants'];
const rows = 100;
const workMsMax = 150;

const clientsAt = (url: string): TableClient[] => {
  const address = {
    name: account,
    key: developmentKey,
    url: `${url.replace(/\/$/, '').replace(`/${account}`, '')}/${account}`,
  };
  const options = { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } };
  return tables.map((table) => TableClient.fromConnectionString(keyConnectionString(address), table, options));
};

const fill = (client: TableClient, number: number) =>
  client.submitTransaction(
    Array.from({ length: rows }, (_, at) => ['upsert', { partitionKey: 'p', rowKey: `${at}`, number }, 'Replace']),
  );

/** The numbers in a table, and the count of its entities. */
async function stateOf(client: TableClient): Promise<{ numbers: number[]; count: number }> {
  const found: number[] = [];
  for await (const { number } of client.listEntities<{ number: number }>()) found.push(number);
  return { numbers: [...new Set(found)], count: found.length };
}

it(`a server killed while it saves and restores has either the old or the new state (seed ${seed})`, {
  timeout: 40_000 * kills,
}, async () => {
  const random = new Random(seed);
  const folder = temporaryFolder();
  const start = () => new ServerProcess(['--tablePort', '0', '--silent', '--location', folder.path]);
  const ask = async (url: string, method: string, rest: string): Promise<void> => {
    const { status } = await fetch(new URL(`/_emulator/snapshots/base${rest}`, url), { method });
    expect(status).toBe(200);
  };
  let server = start();
  let url = await server.ready();
  for (const client of clientsAt(url)) await client.createTable();
  for (let kill = 0; kill < kills; kill++) {
    const [pets, plants] = clientsAt(url) as [TableClient, TableClient];
    // Both tables contain the same number when they are saved. Then each gets another number.
    for (const client of [pets, plants]) await fill(client, 2 * kill);
    await ask(url, 'PUT', '');
    const work = (async () => {
      for (;;) {
        await fill(pets, 2 * kill + 1);
        await fill(plants, 2 * kill + 1);
        await ask(url, 'POST', '/restore');
        await ask(url, 'PUT', '');
      }
    })().catch(() => undefined);
    await sleep(random.integer(0, workMsMax));
    await server.end('SIGKILL');
    await work;
    server = start();
    url = await server.ready();
    const after = clientsAt(url);
    for (const client of after) {
      const { numbers, count } = await stateOf(client);
      expect([numbers.length, count], `kill ${kill}`).toEqual([1, rows]);
    }
    // The snapshot must be complete: both tables have the saved state.
    await ask(url, 'POST', '/restore');
    for (const client of after) expect(await stateOf(client)).toEqual({ numbers: [2 * kill], count: rows });
  }
  const end = await server.end('SIGTERM');
  expect(end.code).toBe(0);
  folder.remove();
});
