import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ignoredFlags } from '../../../src/cli/read-start-options.ts';
import { newestVersion } from '../../../src/protocol/service-version.ts';
import { runCommand } from '../../support/run-command.ts';
import { ServerProcess } from '../../support/server-process.mjs';
import { startBuiltCommand } from '../../support/start-built-command.ts';
import {
  authorization,
  type ClientOptions,
  developmentKey,
  openClient,
  type WireAnswer,
  type WireRequest,
} from '../../support/table-client.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type AzuriteCommandLine, azuriteCommandLines, azuriteHttpsCommandLines } from './azurite-command-lines.ts';
import { readStart } from './read-start.ts';

const opensslCommand: string = 'openssl';
const hasOpenssl = spawnSync(opensslCommand, ['version']).status === 0;
const foreignFlags = new Set(ignoredFlags.map((flag) => flag.split(' ')[0] ?? ''));

interface Started {
  readonly server: ServerProcess;
  readonly origin: string;
  /** The working directory of the command. `/data` in a command line is a folder in it. */
  readonly folder: string;
  readonly args: readonly string[];
}

/**
 * Returns the arguments of a command line, without the name of the program. Replaces the port with a free port, and
 * moves absolute folders below `folder`.
 */
function argumentsOf({ line }: AzuriteCommandLine, folder: string): string[] {
  const args = line
    .split(/\s+/)
    .slice(1)
    .map((word) => word.replace(/^(--\w+=)?\//, (_, flag = '') => `${flag}${folder}/`));
  const at = args.findIndex((word) => /^--tablePort(=|$)/.test(word));
  if (at === -1) return [...args, '--tablePort', '0'];
  return args[at] === '--tablePort' ? args.with(at + 1, '0') : args.with(at, '--tablePort=0');
}

type Finish = (cleanUp: () => void | Promise<void>) => void;

/** Starts a command line in its own folder, until the end of the test. Concurrent tests pass their own `finish`. */
async function start(command: AzuriteCommandLine, finish: Finish = onTestFinished): Promise<Started> {
  const folder = temporaryFolder();
  finish(() => folder.remove());
  return startIn(folder.path, command, finish);
}

async function startIn(folder: string, command: AzuriteCommandLine, finish: Finish): Promise<Started> {
  const args = argumentsOf(command, folder);
  const { env = {} } = command;
  const { server, origin } = await startBuiltCommand(args, { cwd: folder, env });
  finish(async () => void (await server.end('SIGKILL')));
  return { server, origin, folder, args };
}

const startLine = (line: string, env: Readonly<Record<string, string>> = {}): Promise<Started> => start({ line, env });

async function send(origin: string, wireRequest: WireRequest, options: ClientOptions = {}): Promise<WireAnswer> {
  const client = openClient(origin, options);
  try {
    return await client.send(wireRequest);
  } finally {
    await client.close();
  }
}

/**
 * Returns the credentials of the first account that a command line configures. If the command line configures no
 * account, the client uses the credentials of the development account.
 */
function credentialsOf({ env = {} }: AzuriteCommandLine): ClientOptions {
  const [, account, key] = /^"?(\w+):([\w=]+)/.exec(env['AZURITE_ACCOUNTS'] ?? '') ?? [];
  return account === undefined || key === undefined ? {} : { prefix: `/${account}`, account, key };
}

const tables: WireRequest = { method: 'GET', path: '/Tables' };

function create(name: string): WireRequest {
  return { method: 'POST', path: '/Tables', body: JSON.stringify({ TableName: name }) };
}

/** Expects one line of notice if there are flags of other services, and otherwise none. */
function expectNotice({ server, args }: Started): void {
  const given = args.map((word) => word.split('=')[0] ?? '').filter((word) => foreignFlags.has(word));
  if (given.length === 0) expect(server.stderr).toBe('');
  else {
    expect(server.stderr).toMatch(/^tanzanite: [^\n]+: accepted, without effect here\.\n$/);
    for (const flag of given) expect(server.stderr).toContain(flag);
  }
}

function titleOf({ line, env = {} }: AzuriteCommandLine): string {
  return [...Object.entries(env).map(([name, value]) => `${name}=${value}`), line].join(' ');
}

async function expectOrderlyEnd(server: ServerProcess): Promise<void> {
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(server.stdout).toMatch(/is closing\.\.\.\n.*successfully closed\n$/);
}

describe.concurrent.each(Object.entries(azuriteCommandLines))('A command line of %s', (_, commands) => {
  it.for(commands.map((command) => [titleOf(command), command] as const))(
    'starts unchanged, answers and exits with 0: %s',
    async ([, command], { onTestFinished: finish }) => {
      const started = await start(command, finish);
      const { server, origin } = started;
      expect(server.stdout).toMatch(/^Azurite Table service is successfully listening at http:\/\/[\d.]+:[1-9]\d*\n/);
      expect((await send(origin, create('Pets'), credentialsOf(command))).status).toBe(201);
      expectNotice(started);
      await expectOrderlyEnd(server);
    },
  );
});

describe.skipIf(!hasOpenssl)('A command line with a certificate (needs the openssl command)', () => {
  const folder = temporaryFolder();
  const file = (name: string): string => join(folder.path, name);

  beforeAll(() => {
    const pem = ['-keyout', file('127.0.0.1-key.pem'), '-out', file('127.0.0.1.pem')];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    const name = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
    openssl('req', '-x509', '-nodes', '-days', '2', ...curve, ...name, ...pem);
    const pair = ['-inkey', file('127.0.0.1-key.pem'), '-in', file('127.0.0.1.pem')];
    openssl('pkcs12', '-export', ...pair, '-out', file('127.0.0.1.pfx'), '-passout', 'pass:pfxpassword');
    openssl(
      'pkey',
      '-in',
      file('127.0.0.1-key.pem'),
      '-aes256',
      '-passout',
      'pass:secret',
      '-out',
      file('encrypted.key'),
    );
    openssl('genpkey', '-algorithm', 'RSA', '-out', file('rsa.key'));
  });
  afterAll(() => folder.remove());

  function openssl(...args: string[]): void {
    const { status, stderr } = spawnSync(opensslCommand, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`openssl ${args[0]}: ${stderr}`);
  }

  /** Sends a request over HTTPS that trusts only the certificate. Returns the body. */
  function secureBody(origin: string): Promise<string> {
    const target = '/devstoreaccount1/Tables';
    const headers = {
      Accept: 'application/json;odata=minimalmetadata',
      'x-ms-date': new Date().toUTCString(),
      'x-ms-version': '2019-02-02',
    };
    const credentials = { account: 'devstoreaccount1', key: developmentKey, scheme: 'SharedKeyLite' } as const;
    const Authorization = authorization({ method: 'GET', target, headers }, credentials);
    return new Promise((resolve, reject) => {
      const options = { ca: readFileSync(file('127.0.0.1.pem')), headers: { ...headers, Authorization }, agent: false };
      const sent = request(`${origin}${target}`, options, (answer) => {
        let body = '';
        answer.setEncoding('utf8').on('data', (text: string) => {
          body += text;
        });
        answer.on('end', () => resolve(body));
      });
      sent.on('error', reject).end();
    });
  }

  it.each(azuriteHttpsCommandLines)(
    'serves HTTPS, and has https addresses in its responses: $line',
    async (command) => {
      const started = await startIn(folder.path, command, onTestFinished);
      const { server, origin } = started;
      expect(origin).toMatch(/^https:\/\/127\.0\.0\.1:[1-9]\d*$/);
      expect(await secureBody(origin)).toBe(
        `{"odata.metadata":"${origin}/devstoreaccount1/$metadata#Tables","value":[]}`,
      );
      await expect(fetch(origin.replace('https', 'http'))).rejects.toThrow();
      expectNotice(started);
      await expectOrderlyEnd(server);
    },
  );

  async function refusal(line: string): Promise<string> {
    const args = [...line.split(' '), '--tablePort', '0', '--inMemoryPersistence'];
    const { code, stdout, stderr } = await runCommand(args, { cwd: folder.path });
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
    return stderr;
  }

  it.each([
    ['--cert 127.0.0.1.pem --key 127.0.0.1.pem', '--key 127.0.0.1.pem holds a certificate and no private key.'],
    [
      '--cert 127.0.0.1.pem --key rsa.key',
      '--key rsa.key is not the private key of the certificate in --cert 127.0.0.1.pem',
    ],
    ['--cert 127.0.0.1.pem --key encrypted.key', '--key encrypted.key is encrypted. Give its password with --pwd'],
    ['--cert 127.0.0.1.pem --key encrypted.key --pwd wrong', '--key encrypted.key is encrypted with another password'],
    [
      '--cert 127.0.0.1.pfx',
      '--cert 127.0.0.1.pfx needs a --key (PEM) or a --pwd (PFX; --pwd "" if it has none) as well.',
    ],
    ['--cert 127.0.0.1.pfx --pwd wrong', '--cert 127.0.0.1.pfx has another password than that of --pwd'],
    ['--cert 127.0.0.1.pfx --pwd=', '--cert 127.0.0.1.pfx has a password. Give it with --pwd.'],
    ['--cert . --pwd=', '--cert . cannot be read: it is not a regular file.'],
  ])('is refused with code 2 and one line that names the file: %s', async (line, reason) => {
    const stderr = await refusal(line);
    expect(stderr).toMatch(/^tanzanite: [^\n]+\n$/);
    expect(stderr).toContain(reason);
  });

  it('and an encrypted key serves HTTPS with the password of the key', async () => {
    const command = { line: 'azurite --cert 127.0.0.1.pem --key encrypted.key --pwd secret' };
    const { origin } = await startIn(folder.path, command, onTestFinished);
    expect(await secureBody(origin)).toContain('"value":[]');
  });

  it('leaves no folder for data if it is refused', async () => {
    const args = ['--cert', '127.0.0.1.pem', '--key', 'rsa.key', '--location', 'refused', '--tablePort', '0'];
    expect((await runCommand(args, { cwd: folder.path })).code).toBe(2);
    expect(existsSync(file('refused'))).toBe(false);
  });
});

describe('x-ms-version', () => {
  async function outcomes(origin: string): Promise<unknown[]> {
    const seen: unknown[] = [];
    for (const version of ['2019-02-02', '2099-12-31', '2018-06-28', 'latest']) {
      const answer = await send(origin, { ...tables, headers: { 'x-ms-version': version } });
      seen.push([answer.status, answer.header('x-ms-version')]);
    }
    return seen;
  }
  const refused = [400, undefined];
  const [known, newer] = [
    [200, '2019-02-02'],
    [200, '2099-12-31'],
  ];
  const everything = [known, newer, [200, '2018-06-28'], [200, newestVersion]];

  it('is accepted and repeated by default if it is newer than any known one', async () => {
    expect(await outcomes((await startLine('azurite')).origin)).toEqual([known, newer, refused, refused]);
  });

  it('is refused with --strict-api-version if it is newer than any known one', async () => {
    const { origin } = await startLine('azurite --strict-api-version');
    expect(await outcomes(origin)).toEqual([known, refused, refused, refused]);
  });

  it('is always accepted with --skipApiVersionCheck', async () => {
    expect(await outcomes((await startLine('azurite --skipApiVersionCheck')).origin)).toEqual(everything);
  });

  it('is always accepted with AZURITE_SKIP_API_VERSION_CHECK=true, and only with this value', async () => {
    const unchecked = await startLine('azurite', { AZURITE_SKIP_API_VERSION_CHECK: 'true' });
    expect(await outcomes(unchecked.origin)).toEqual(everything);
    const checked = await startLine('azurite', { AZURITE_SKIP_API_VERSION_CHECK: '1' });
    expect(await outcomes(checked.origin)).toEqual([known, newer, refused, refused]);
  });
});

describe('A switch that is false', () => {
  it('has no effect', async () => {
    const { server, origin, folder } = await startLine(
      'azurite --silent=false --inMemoryPersistence false --skipApiVersionCheck=false --disableTelemetry false --location /data',
    );
    expect(existsSync(join(folder, 'data'))).toBe(true);
    expect((await send(origin, { ...tables, headers: { 'x-ms-version': '2018-06-28' } })).status).toBe(400);
    await expect.poll(() => server.stdout).toContain('InvalidHeaderValue');
    expect(server.stderr).toBe('');
  });
});

describe('Flags that contradict each other', () => {
  it.each([
    ['--skipApiVersionCheck --strict-api-version', 'contradict each other'],
    ['--key key.pem', '--key key.pem needs a --cert'],
    ['--pwd text', '--pwd needs a --cert'],
    ['--cert cert.pem', '--cert cert.pem needs a --key (PEM) or a --pwd (PFX'],
    ['--cert absent.pem --key absent.pem', '--cert absent.pem cannot be read'],
  ])('exit with code 2 and one line: %s', async (line, reason) => {
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    const result = await runCommand(['--tablePort', '0', ...line.split(' ')], { cwd: folder.path });
    expect({ code: result.code, stdout: result.stdout }, result.stderr).toEqual({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(/^tanzanite: [^\n]+\n$/);
    expect(result.stderr).toContain(reason);
  });

  it('do not exit for --inMemoryPersistence with --location, which prints a notice', async () => {
    const { server, folder } = await startLine('azurite --inMemoryPersistence --location /data');
    expect(server.stderr).toBe('tanzanite: --location has no effect with --inMemoryPersistence.\n');
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });
});

describe('--tableKeepAliveTimeout', () => {
  it('is sent to the client in Keep-Alive', async () => {
    const { origin } = await startLine('azurite --tableKeepAliveTimeout 7');
    expect((await send(origin, tables)).header('Keep-Alive')).toBe('timeout=7');
  });
});

describe('--debug', () => {
  it('writes JSON lines to the file, a line for each request, and no key or signature', async () => {
    const { server, origin, folder } = await startLine('azurite --silent --debug /logs/debug.log');
    await send(origin, create('Pets'));
    const signature = 'c2lnbmF0dXJlLW9mLWEtdGVzdA';
    await send(origin, { ...tables, path: `/Tables?sv=2019-02-02&sig=${signature}%3D` });
    await send(origin, { ...tables, headers: { Authorization: `SharedKey devstoreaccount1:${signature}=` } });
    await expectOrderlyEnd(server);
    const log = readFileSync(join(folder, 'logs', 'debug.log'), 'utf8');
    const lines = log.trimEnd().split('\n');
    const records = lines.map((line) => JSON.parse(line) as { operation?: string; status?: number });
    expect(records.map(({ operation, status }) => [operation, status])).toEqual(
      expect.arrayContaining([
        ['CreateTable', 201],
        ['QueryTables', 403],
      ]),
    );
    expect(log).not.toContain(signature);
    expect(log).not.toContain(developmentKey);
    expect(log).not.toContain('SharedKey');
  });

  it('prints the ready line on standard output, and no requests', async () => {
    const { server, origin } = await startLine('azurite --debug /debug.log');
    await send(origin, tables);
    expect(server.stdout).toBe(`Azurite Table service is successfully listening at ${origin}\n`);
  });
});

describe('--log-format json', () => {
  it('prints nothing but JSON, the ready record with url and port first', async () => {
    const { server, origin } = await startLine('azurite --log-format json');
    await send(origin, tables);
    expect((await server.end('SIGTERM')).code).toBe(0);
    const records = server.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(records[0]).toMatchObject({ url: origin, port: Number(new URL(origin).port) });
    expect(records).toContainEqual(expect.objectContaining({ operation: 'QueryTables', status: 200 }));
    expect(server.stderr).toBe('');
  });
});

describe('--location', () => {
  it('is passed on unchanged, including a leading blank', async () => {
    expect((await readStart('--location', ' data')).options.settings.location).toBe(' data');
  });

  it('is an absolute path in the ready record', async () => {
    const { server, folder } = await startLine('azurite --log-format json --location data');
    const [ready = ''] = server.stdout.split('\n', 1);
    expect(JSON.parse(ready)).toMatchObject({ location: join(realpathSync(folder), 'data') });
  });
});

describe('--log-format json with --debug', () => {
  it('prints the ready record on standard output', async () => {
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    const flags = ['--log-format', 'json', '--debug', 'debug.log', '--tablePort', '0', '--inMemoryPersistence'];
    const server = new ServerProcess(flags, { cwd: folder.path });
    onTestFinished(async () => void (await server.end('SIGKILL')));
    await expect.poll(() => server.stdout, { interval: 20, timeout: 60_000 }).toContain('successfully listening');
    expect(existsSync(join(folder.path, 'debug.log'))).toBe(true);
  });
});

describe('--table-delete-delay', () => {
  it('answers 409 TableBeingDeleted to the creation of a deleted table, 404 to its use, then frees the name', async () => {
    const { origin } = await startLine('azurite --table-delete-delay 1');
    expect((await send(origin, create('Pets'))).status).toBe(201);
    expect((await send(origin, { method: 'DELETE', path: "/Tables('Pets')" })).status).toBe(204);
    for (const request of [create('Pets'), create('pets')]) {
      const { status, body } = await send(origin, request);
      expect([status, body]).toEqual([409, expect.stringContaining('"code":"TableBeingDeleted"')]);
    }
    const used = await send(origin, { method: 'GET', path: '/Pets()' });
    expect([used.status, used.body]).toEqual([404, expect.stringContaining('"code":"TableNotFound"')]);
    const again = async (): Promise<number> => (await send(origin, create('Pets'))).status;
    await expect.poll(again, { interval: 100, timeout: 60_000 }).toBe(201);
  });
});
