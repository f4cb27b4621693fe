import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JsonClient } from '../../support/json-client.mjs';
import { runCommand } from '../../support/run-command.ts';
import { ServerProcess } from '../../support/server-process.mjs';

const token = 'a-token-of-some-length';
const accounts =
  'devstoreaccount1:Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;other1:a2V5';
const server = new ServerProcess(['--tablePort', '0', '--inMemoryPersistence'], {
  env: { TANZANITE_CONTROL_TOKEN: token, AZURITE_ACCOUNTS: accounts },
});
let url: string;
let client: JsonClient;

const reset = (...args: string[]) =>
  runCommand(['reset', ...args], { env: { TANZANITE_URL: url, TANZANITE_CONTROL_TOKEN: token } });

async function isThere(table: string): Promise<boolean> {
  return (await client.send({ method: 'GET', path: `Tables('${table}')` })).status === 200;
}

beforeAll(async () => {
  url = await server.ready();
  client = new JsonClient(url);
});
afterAll(async () => {
  await client.close();
  await server.end('SIGKILL');
});

describe('reset', () => {
  it('empties everything, and says so', async () => {
    await client.createTable('Pets');
    expect(await reset()).toEqual({ code: 0, stdout: 'emptied accounts devstoreaccount1, other1\n', stderr: '' });
    expect(await isThere('Pets')).toBe(false);
  });

  it('empties one account', async () => {
    await client.createTable('Pets');
    expect((await reset('--account', 'other1')).stdout).toBe('emptied account other1\n');
    expect(await isThere('Pets')).toBe(true);
    expect((await reset('--account', 'devstoreaccount1')).stdout).toBe('emptied account devstoreaccount1\n');
    expect(await isThere('Pets')).toBe(false);
  });

  it('empties one table, but does not delete it', async () => {
    await client.createTable('Pets');
    await client.send({ method: 'POST', path: 'Pets', body: { PartitionKey: 'p', RowKey: 'r' } });
    expect((await client.readAll('Pets')).length).toBe(1);
    expect((await reset('--table', 'Pets')).stdout).toBe('emptied table Pets of account devstoreaccount1\n');
    expect(await isThere('Pets')).toBe(true);
    expect(await client.readAll('Pets')).toEqual([]);
  });

  it('says in one line why it emptied nothing, and exits with 1', async () => {
    const failures = [
      await reset('--account', 'absent'),
      await reset('--account', 'other1', '--table', 'Pets'),
      await reset('--control-token', `${token}2`),
      await runCommand(['reset', '--url', url], { env: { TANZANITE_CONTROL_TOKEN: undefined } }),
      await reset('--url', 'http://127.0.0.1:1'),
    ];
    for (const { code, stdout, stderr } of failures) {
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^tanzanite: [^\n]+\n$/);
      expect(stderr).not.toContain(token);
    }
    expect(failures.map(({ stderr }) => stderr)).toEqual([
      expect.stringContaining('404 AccountNotFound: there is no account absent here.'),
      expect.stringContaining('404 TableNotFound: account other1 has no table Pets.'),
      expect.stringContaining('401 TokenWrong'),
      expect.stringContaining('401 TokenMissing'),
      expect.stringContaining('no emulator answers at http://127.0.0.1:1: '),
    ]);
  });

  it.each([
    ['a short token', ['--control-token', 'secret'], '--control-token must be 16 to 1024 visible ASCII characters'],
    ['an address that is none', ['--url', 'file:///x'], '--url file:///x is not an address'],
    ['a flag without its value', ['--table'], 'needs a value, <name>.'],
    ['a table without its flag', ['Pets'], 'reset takes flags only, not a word'],
  ])('is refused with code 2 for %s, and resets nothing', async (_, args, reason) => {
    await client.createTable('Kept');
    const { code, stdout, stderr } = await reset(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(reason);
    expect(stderr).not.toContain('secret');
    expect(await isThere('Kept')).toBe(true);
  });

  it('writes a line to the log of the emulator', () => {
    expect(server.stdout).toContain('POST /_emulator/reset 200');
    expect(server.stdout).not.toContain(token);
  });

  it('and no command that only reads writes a line, unless it is refused', async () => {
    const read = (headers: Record<string, string>) => fetch(new URL('/_emulator/capacity', url), { headers });
    expect((await read({ Authorization: `Bearer ${token}` })).status).toBe(200);
    expect((await read({})).status).toBe(401);
    const body = JSON.stringify({ filter: 'Age gt 5' });
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const explained = await fetch(new URL('/_emulator/explain', url), { method: 'POST', headers, body });
    expect(explained.status).not.toBe(401);
    await expect.poll(() => server.stdout).toContain('GET /_emulator/capacity 401');
    expect(server.stdout).not.toContain('POST /_emulator/explain 200');
    expect(server.stdout).not.toContain('GET /_emulator/capacity 200');
  });
});
