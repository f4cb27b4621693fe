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

/** Starts the command with flags, in memory on a free port. Returns a client of its development account. */
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
  it('any accepts every name that the service allows, with the well-known key', async () => {
    const client = await start('--accounts', 'any');
    expect(await statusFor(client, 'worker1', developmentKey)).toBe(200);
    expect(await statusFor(client, 'worker2', developmentKey)).toBe(200);
    expect(await statusFor(client, 'worker1', otherKey)).toBe(403);
  });

  it('with a file uses the keys in it, and new keys that replace them at run time', async () => {
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    const file = join(folder.path, 'accounts');
    writeFileSync(file, `first:${developmentKey}`);
    const client = await start('--accounts', file);
    expect(await statusFor(client, 'first', developmentKey)).toBe(200);
    writeFileSync(file, `first:${otherKey}`);
    await expect.poll(() => statusFor(client, 'first', otherKey), { interval: 100, timeout: 60_000 }).toBe(200);
    expect(await statusFor(client, 'first', developmentKey)).toBe(403);
  });

  it.skipIf(!hasPipes)('with a pipe says that it is not a regular file, and exits with 2', async () => {
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

  it('with a missing or malformed file says what is wrong, and exits with 2', async () => {
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
  ])('refuse a pipe as %s, which is not a regular file, with 2', async (flag, flagsWith) => {
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    const pipe = join(folder.path, 'pipe');
    makeNamedPipe(pipe);
    const { code, stderr } = await runCommand(['start', '--tablePort', '0', ...flagsWith(pipe)]);
    expect(code).toBe(2);
    expect(stderr).toBe(`tanzanite: ${flag} ${pipe} cannot be read: it is not a regular file.\n`);
  });
});

it('--no-explain leaves out why a request is refused', async () => {
  const answerOf = async (...flags: string[]) => {
    const client = await start(...flags);
    return client.with({ key: otherKey }).send({ method: 'GET', path: '/Tables' });
  };
  const [explained, plain] = [await answerOf(), await answerOf('--no-explain')];
  expect([explained.status, plain.status]).toEqual([403, 403]);
  expect(JSON.parse(explained.header('x-emulator-why') ?? '')).not.toEqual([]);
  expect(plain.header('x-emulator-why')).toBeUndefined();
});

it('--secondary and --replica-lag determine the answer of Get Table Service Stats', async () => {
  const client = await start('--secondary', 'live', '--replica-lag', '3600');
  const secondary = client.with({ prefix: '/devstoreaccount1-secondary' });
  const { body } = await secondary.send({ method: 'GET', path: '/?restype=service&comp=stats' });
  const [, time = ''] = /<LastSyncTime>([^<]+)</.exec(body) ?? [];
  const behindMs = Date.now() - Date.parse(time);
  expect(behindMs).toBeGreaterThan(3_590_000);
  expect(behindMs).toBeLessThan(3_700_000);
});
