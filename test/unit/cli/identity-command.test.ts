// `tanzanite env --identity` and `tanzanite identity`.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../support/run-command.ts';
import { ServerProcess } from '../../support/server-process.mjs';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { partsOf } from '../../support/tokens.ts';

const token = 'a-token-of-some-length';
const folder = temporaryFolder();
const data = join(folder.path, 'data');
const words = ['--tablePort', '0', '--identity', '--https', 'auto'];
const server = new ServerProcess([...words, '--location', data], { env: { TANZANITE_CONTROL_TOKEN: token } });
const inMemory = new ServerProcess([...words.slice(0, 3), '--inMemoryPersistence']);
let url: string;
let memoryUrl: string;

beforeAll(async () => {
  [url, memoryUrl] = await Promise.all([server.ready(), inMemory.ready()]);
});
afterAll(async () => {
  await Promise.all([server.end('SIGKILL'), inMemory.end('SIGKILL')]);
  folder.remove();
});

const run = (...args: string[]) => runCommand(args, { env: { TANZANITE_URL: url, TANZANITE_CONTROL_TOKEN: token } });

async function printed(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

describe('env --identity', () => {
  const names = [
    'AZURE_AUTHORITY_HOST',
    'AZURE_TENANT_ID',
    'AZURE_CLIENT_ID',
    'AZURE_CLIENT_SECRET',
    'AZURE_CLIENT_CERTIFICATE_PATH',
    'AZURE_FEDERATED_TOKEN_FILE',
    'IDENTITY_ENDPOINT',
    'IDENTITY_HEADER',
  ];

  it('prints the variables of the identity libraries, with files that other users cannot read', async () => {
    const variables = JSON.parse(await printed('env', '--identity', '--format', 'json')) as Record<string, string>;
    expect(Object.keys(variables)).toEqual(names);
    expect(variables).toMatchObject({
      AZURE_AUTHORITY_HOST: url.replace('http:', 'https:'),
      AZURE_TENANT_ID: 'adfs',
      IDENTITY_ENDPOINT: `${url}/_emulator/identity/msi/token`,
    });
    expect(JSON.stringify(variables)).not.toContain(token);
    const certificate = String(variables['AZURE_CLIENT_CERTIFICATE_PATH']);
    const federated = String(variables['AZURE_FEDERATED_TOKEN_FILE']);
    expect(readFileSync(certificate, 'utf8')).toMatch(/^-----BEGIN PRIVATE KEY-----[\s\S]+-----BEGIN CERTIFICATE-----/);
    expect(partsOf(readFileSync(federated, 'utf8')).claims).toMatchObject({ aud: 'api://AzureADTokenExchange' });
    for (const file of [certificate, federated]) expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
  });

  it.each([
    ['sh', (text: string) => execFileSync('sh', ['-c', `${text}env`], { encoding: 'utf8', env: {} })],
    ['dotenv', (text: string) => text],
  ])('prints the variables for %s', async (format, read) => {
    const variables = JSON.parse(await printed('env', '--identity', '--format', 'json')) as Record<string, string>;
    const lines = read(await printed('env', '--identity', '--format', format)).split('\n');
    for (const [name, value] of Object.entries(variables)) expect(lines).toContain(`${name}=${value}`);
  });

  it('writes the files to the given folder; without a location, it says that there are none', async () => {
    const at = (...args: string[]) => runCommand(['env', '--identity', '--url', memoryUrl, ...args]);
    const without = await at();
    expect(without.stdout).not.toContain('_FILE');
    expect(without.stderr).toContain('give --files <folder>');
    expect(without.stderr).toContain('--https auto');
    const files = join(folder.path, 'files');
    const { stdout } = await at('--files', files);
    expect(stdout).toContain(`AZURE_FEDERATED_TOKEN_FILE='${join(files, 'client.token')}'`);
    expect((statSync(join(files, 'client.pem')).mode & 0o777).toString(8)).toBe('600');
    mkdirSync(join(folder.path, 'elsewhere'), { mode: 0o700 });
    symlinkSync(join(folder.path, 'elsewhere'), join(folder.path, 'link'));
    const linked = await at('--files', join(folder.path, 'link'));
    expect([linked.code, linked.stderr.split('\n').length]).toEqual([2, 2]);
  });

  it.each([
    [['env'], 2, 'give --identity'],
    [['env', '--identity', '--format', 'toml'], 2, '--format'],
    [['env', '--identity', '--client', '\u001b[31mnobody'], 1, 'PrincipalNotFound'],
    [['identity', 'shw'], 2, 'did you mean show?'],
    [['identity', 'token', '--minutes', 'x'], 2, 'whole number'],
    [['identity', 'token', '--minutes', '0'], 1, 'InvalidRequest'],
    [['identity', 'token', '--audience', 'x'], 1, 'InvalidRequest'],
  ])('refuses %j with code %i and one line', async (args, code, reason) => {
    const refused = await run(...args);
    expect([refused.code, refused.stdout]).toEqual([code, '']);
    expect(refused.stderr).toMatch(/^\P{Cc}+\n$/u);
    expect(refused.stderr).toContain(reason);
  });
});

describe('identity', () => {
  it('creates principals, issues tokens that the tables accept, rotates keys, and shows all of them', async () => {
    const made = await printed(
      'identity',
      'principal',
      '--name',
      'r\u001b[31meader',
      '--role',
      'Storage Table Data Reader',
    );
    const client = /^client {2}(\S+)$/m.exec(made)?.[1] ?? '';
    const read = (await printed('identity', 'token', '--client', client, '--minutes', '5')).trim();
    const ask = (method: string, bearer: string) =>
      fetch(`${url}/devstoreaccount1/Tables`, {
        method,
        headers: {
          Authorization: `Bearer ${bearer}`,
          'x-ms-version': '2020-12-06',
          'Content-Type': 'application/json',
        },
        ...(method === 'POST' ? { body: '{"TableName":"pets"}' } : {}),
      });
    expect((await ask('GET', read)).status).toBe(200);
    expect((await ask('POST', read)).status).toBe(403);
    expect(await printed('identity', 'rotate')).toMatch(/^signs with \S+\n$/);
    expect((await ask('POST', (await printed('identity', 'token')).trim())).status).toBe(201);
    expect((await ask('GET', read)).status).toBe(200);
    const shown = await printed('identity', 'show');
    expect(shown).toMatch(/^key {8}\S+ {2}signs$/m);
    expect(shown).toMatch(/^key {8}\S+ {2}until \S+$/m);
    expect(shown).toContain(`${client}  r\\u001b[31meader  (Storage Table Data Reader)`);
    expect(shown).not.toContain('\u001b');
  });
});
