import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { Fleet } from '../../crash/fleet.mjs';
import { JsonClient } from '../../support/json-client.mjs';
import { runCommand } from '../../support/run-command.ts';
import { ServerProcess } from '../../support/server-process.mjs';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let folder: { path: string; remove(): void };
const running: ServerProcess[] = [];

beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  for (const server of running.splice(0)) await server.end('SIGKILL');
  folder.remove();
});

async function start(...flags: string[]): Promise<{ server: ServerProcess; url: string }> {
  const server = new ServerProcess(flags, { cwd: folder.path });
  running.push(server);
  return { server, url: await server.ready() };
}

async function createTable(url: string): Promise<void> {
  const client = new JsonClient(url);
  await client.createTable('Pets');
  await client.close();
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
  return address.port;
}

describe('a start', () => {
  it('prints first the line that other tools wait for, with its port, and answers there', async () => {
    const port = await freePort();
    const { server, url } = await start('--tablePort', String(port), '--inMemoryPersistence');
    expect(server.stdout).toBe(`Azurite Table service is successfully listening at http://127.0.0.1:${port}\n`);
    expect(url).toBe(`http://127.0.0.1:${port}`);
    expect(server.stderr).toBe('');
    await createTable(url);
  });

  it('on port 0 listens on a free port and names it', async () => {
    const { url } = await start('start', '--tablePort', '0', '--inMemoryPersistence');
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d+$/);
    await createTable(url);
  });

  it('without a location keeps its data in tanzanite-data in the working directory', async () => {
    const { url } = await start('--tablePort', '0');
    await createTable(url);
    expect(readdirSync(folder.path)).toEqual(['tanzanite-data']);
    expect(existsSync(join(folder.path, 'tanzanite-data', 'devstoreaccount1.sqlite'))).toBe(true);
  });

  it('with --location keeps its data there, and still has it after a restart', async () => {
    const flags = ['--tablePort', '0', '--location', join('deep', 'data')];
    const first = await start(...flags);
    await createTable(first.url);
    expect(await first.server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    const second = await start(...flags);
    const client = new JsonClient(second.url);
    const { status } = await client.send({ method: 'GET', path: "Tables('Pets')" });
    await client.close();
    expect(status).toBe(200);
    expect(readdirSync(folder.path)).toEqual(['deep']);
  });

  it('with --inMemoryPersistence creates no files', async () => {
    const { server, url } = await start('--tablePort', '0', '--inMemoryPersistence');
    await createTable(url);
    expect(readdirSync(folder.path)).toEqual([]);
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('reads its accounts from AZURITE_ACCOUNTS', async () => {
    const env = { AZURITE_ACCOUNTS: 'other1:a2V5;devstoreaccount2:a2V5' };
    const flags = ['--tablePort', '0', '--inMemoryPersistence'];
    const server = new ServerProcess(flags, { cwd: folder.path, env });
    running.push(server);
    const client = new JsonClient(await server.ready());
    const { status } = await client.send({ method: 'GET', path: 'Tables' });
    await client.close();
    expect(status).toBe(404);
  });
});

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
  it('under load exits with 0, and every acknowledged write is there after a restart', async () => {
    const flags = ['--tablePort', '0', '--silent', '--location', 'data'];
    const seed = Date.now() % 1_000_000_000;
    const fleet = new Fleet({ seed });
    for (let round = 0; round < 2; round++) {
      const { server, url } = await start(...flags);
      await fleet.verify(url);
      const { ended } = await fleet.start(url);
      await expect.poll(() => fleet.acknowledged, { timeout: 60_000 }).toBeGreaterThan(10 * (round + 1));
      expect(await server.end(signal), server.stderr).toEqual({ code: 0, signal: null });
      await ended;
      expect(server.stdout).toMatch(/is closing\.\.\.\nAzurite Table service successfully closed\n$/);
    }
    await fleet.verify((await start(...flags)).url);
    expect(fleet.violations, `seed ${seed}`).toEqual([]);
  });

  it('stops in spite of idle connections, however long it would keep them open', async () => {
    const { server, url } = await start(
      '--tablePort',
      '0',
      '--inMemoryPersistence',
      '--tableKeepAliveTimeout',
      '86400',
    );
    const client = new JsonClient(url, 4);
    await Promise.all([1, 2, 3, 4].map(() => client.send({ method: 'GET', path: 'Tables' })));
    expect(await server.end(signal)).toEqual({ code: 0, signal: null });
    await client.close();
  });
});

describe('the command', () => {
  it.each(['--version', '-v'])('%s prints only the version', async (flag) => {
    const result = await runCommand([flag], { cwd: folder.path });
    expect(result).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' });
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it.each([
    ['--help', /Usage: tanzanite/],
    ['-h', /Usage: tanzanite/],
  ])('%s prints the usage on standard output', async (flag, text) => {
    const { code, stdout, stderr } = await runCommand([flag], { cwd: folder.path });
    expect(stdout).toMatch(text);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('start --help names every flag, their defaults and AZURITE_ACCOUNTS', async () => {
    const { code, stdout } = await runCommand(['start', '--help'], { cwd: folder.path });
    expect(code).toBe(0);
    for (const flag of ['--tableHost', '--tablePort', '--location', '--inMemoryPersistence', '--durability']) {
      expect(stdout).toContain(flag);
    }
    for (const text of ['--silent', '--debug', '10002', '127.0.0.1', 'tanzanite-data', 'AZURITE_ACCOUNTS']) {
      expect(stdout).toContain(text);
    }
  });
});
