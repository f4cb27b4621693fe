import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeNamedPipe } from '../../support/named-pipe.ts';
import { runCommand } from '../../support/run-command.ts';
import { startBuiltCommand } from '../../support/start-built-command.ts';
import { developmentKey, openClient, type TableClient } from '../../support/table-client.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const hasPipes = process.platform !== 'win32';
const otherKey = Buffer.from('another key of thirty-two bytes.').toString('base64');

/** The command with some flags, in memory on a free port, and a client of its development account. */
async function start(...flags: string[]): Promise<TableClient> {
  const { server, origin } = await startBuiltCommand(['--tablePort', '0', '--inMemoryPersistence', ...flags]);
  const client = openClient(origin);
  onTestFinished(async () => {
    await client.close();
    server.kill('SIGTERM');
    await server.ended();
  });
  return client;
}

const statusFor = async (client: TableClient, account: string, key: string): Promise<number> => {
  const caller = client.with({ prefix: `/${account}`, account, key });
  return (await caller.send({ method: 'GET', path: '/Tables' })).status;
};

describe('--accounts', () => {
  it('any lets in whatever name the service could have, with the well-known key', async () => {
    const client = await start('--accounts', 'any');
    expect(await statusFor(client, 'worker1', developmentKey)).toBe(200);
    expect(await statusFor(client, 'worker2', developmentKey)).toBe(200);
    expect(await statusFor(client, 'worker1', otherKey)).toBe(403);
  });

  it('with a file takes the keys in it, and those that are put in their place while it runs', async () => {
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    const file = join(folder.path, 'accounts');
    writeFileSync(file, `first:${developmentKey}`);
    const client = await start('--accounts', file);
    expect(await statusFor(client, 'first', developmentKey)).toBe(200);
    writeFileSync(file, `first:${otherKey}`);
    await expect.poll(() => statusFor(client, 'first', otherKey), { interval: 100, timeout: 8_000 }).toBe(200);
    expect(await statusFor(client, 'first', developmentKey)).toBe(403);
  }, 30_000);

  it.skipIf(!hasPipes)('with a pipe says that it is no regular file, and ends with 2', async () => {
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    const pipe = join(folder.path, 'pipe');
    makeNamedPipe(pipe);
    for (const words of [['start', '--tablePort', '0'], ['connection-string']]) {
      const { code, stderr } = await runCommand([...words, '--accounts', pipe]);
      expect(code).toBe(2);
      expect(stderr).toBe(`tanzanite: --accounts ${pipe} cannot be read: it is not a regular file.\n`);
    }
  });

  it('with a file that is not there, or is none, says so and ends with 2', async () => {
    for (const file of ['not-there', 'package.json']) {
      const { code, stderr } = await runCommand(['start', '--tablePort', '0', '--accounts', file]);
      expect(code).toBe(2);
      expect(stderr).toContain(`--accounts ${file}`);
    }
  });
});

describe.skipIf(!hasPipes)('--cert and --key', () => {
  it.each([
    ['--cert', (pipe: string) => ['--cert', pipe, '--key', 'package.json']],
    ['--key', (pipe: string) => ['--cert', 'package.json', '--key', pipe]],
    ['--cert', (pipe: string) => ['--cert', pipe, '--pwd', 'secret']],
  ])('with a pipe as %s say that it is no regular file, and end with 2', async (flag, flagsWith) => {
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    const pipe = join(folder.path, 'pipe');
    makeNamedPipe(pipe);
    const { code, stderr } = await runCommand(['start', '--tablePort', '0', ...flagsWith(pipe)]);
    expect(code).toBe(2);
    expect(stderr).toBe(`tanzanite: ${flag} ${pipe} cannot be read: it is not a regular file.\n`);
  });
});

it('--explain-auth tells a caller on this machine why it is refused', async () => {
  const client = await start('--explain-auth');
  const answer = await client.with({ key: otherKey }).send({ method: 'GET', path: '/Tables' });
  expect(answer.status).toBe(403);
  expect(JSON.parse(answer.header('x-emulator-explain-auth') ?? '')).not.toEqual([]);
});

it('--secondary and --replica-lag are what the stats say', async () => {
  const client = await start('--secondary', 'live', '--replica-lag', '3600');
  const secondary = client.with({ prefix: '/devstoreaccount1-secondary' });
  const { body } = await secondary.send({ method: 'GET', path: '/?restype=service&comp=stats' });
  const [, time = ''] = /<LastSyncTime>([^<]+)</.exec(body) ?? [];
  const behindMs = Date.now() - Date.parse(time);
  expect(behindMs).toBeGreaterThan(3_590_000);
  expect(behindMs).toBeLessThan(3_700_000);
});
