import { spawnSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { runCommand } from '../../support/run-command.ts';
import type { ServerProcess } from '../../support/server-process.mjs';
import { startBuiltCommand } from '../../support/start-built-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const opensslCommand: string = 'openssl';
const hasOpenssl = spawnSync(opensslCommand, ['version']).status === 0;
const servers: ServerProcess[] = [];
let url: string;
let stranger: Server;

async function start(...flags: string[]): Promise<string> {
  const { server, origin } = await startBuiltCommand(['--tablePort', '0', '--inMemoryPersistence', ...flags]);
  servers.push(server);
  return origin;
}

beforeAll(async () => {
  url = await start();
  stranger = createServer((_request, response) => response.writeHead(200).end('{"status":"healthy"}'));
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  stranger.close();
  for (const server of servers) await server.end('SIGKILL');
});

describe('health', () => {
  it('says in one line that an emulator is healthy, and exits with 0', async () => {
    const { code, stdout, stderr } = await runCommand(['health', '--url', url]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^healthy: ${url}, version ${manifest.version}, up \\d+ s\n$`));
  });

  it('reads the address from the flag, or else from the environment', async () => {
    const found = await runCommand(['health'], { env: { TANZANITE_URL: url } });
    expect(found.stdout).toContain(`healthy: ${url},`);
    const flagged = await runCommand(['health', '--url', url], { env: { TANZANITE_URL: 'http://127.0.0.1:1' } });
    expect(flagged.code).toBe(0);
  });

  it('is answered beyond loopback without a token', async () => {
    const everywhere = await start('--tableHost', '0.0.0.0', '--control-token', 'a-token-of-some-length');
    expect((await runCommand(['health', '--url', everywhere])).code).toBe(0);
  });

  it('says in one line why it is not healthy, and exits with 1', async () => {
    const strange = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
    const absent = await runCommand(['health', '--url', 'http://127.0.0.1:1']);
    const foreign = await runCommand(['health', '--url', strange]);
    for (const { code, stdout, stderr } of [absent, foreign]) {
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^tanzanite: [^\n]+\n$/);
    }
    expect(absent.stderr).toContain('no emulator answers at http://127.0.0.1:1: ');
    expect(foreign.stderr).toContain(`the server at ${strange} is not an emulator of this version`);
  });

  it('prints nothing with --quiet', async () => {
    const silent = { stdout: '', stderr: '' };
    expect(await runCommand(['health', '--quiet', '--url', url])).toEqual({ code: 0, ...silent });
    expect(await runCommand(['health', '--quiet', '--url', 'http://127.0.0.1:1'])).toEqual({ code: 1, ...silent });
  });

  it.each([
    ['an address that is none', ['--url', 'localhost:10002'], {}, '--url localhost:10002 is not an address such as'],
    ['an environment with none', [], { TANZANITE_URL: 'here' }, 'TANZANITE_URL here is not an address'],
    ['a flag it does not have', ['--table', 'x'], {}, 'unknown flag --table:'],
    ['an argument', ['x'], {}, 'health takes flags only, not a word'],
  ])('is refused with code 2 for %s', async (_, args, env, reason) => {
    const { code, stdout, stderr } = await runCommand(['health', ...args], { env });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(reason);
  });

  it('writes no line to the log of the emulator', () => {
    expect(servers[0]?.stdout).toBe(`Azurite Table service is successfully listening at ${url}\n`);
  });

  it('has a help text, and is in the help of the program', async () => {
    const own = await runCommand(['health', '--help']);
    expect(own.code).toBe(0);
    for (const text of ['--url', '--quiet', '--insecure', 'http://127.0.0.1:10002', 'TANZANITE_URL']) {
      expect(own.stdout).toContain(text);
    }
    const { stdout } = await runCommand(['--help']);
    for (const name of ['health', 'wait', 'reset', 'start', 'explain']) {
      expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
    }
  });
});

describe.skipIf(!hasOpenssl)('health over HTTPS (needs the openssl command)', () => {
  const folder = temporaryFolder();
  const [cert, key] = [join(folder.path, 'cert.pem'), join(folder.path, 'key.pem')];
  let secure: string;

  beforeAll(async () => {
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    const files = ['-subj', '/CN=127.0.0.1', '-keyout', key, '-out', cert];
    spawnSync(opensslCommand, ['req', '-x509', '-nodes', '-days', '2', ...curve, ...files]);
    secure = await start('--cert', cert, '--key', key);
  });
  afterAll(() => folder.remove());

  it('accepts a self-signed certificate only with --insecure', async () => {
    expect(secure).toMatch(/^https:/);
    const trusting = await runCommand(['health', '--insecure', '--url', secure]);
    expect({ code: trusting.code, stderr: trusting.stderr }).toEqual({ code: 0, stderr: '' });
    const strict = await runCommand(['health', '--url', secure]);
    expect({ code: strict.code, stdout: strict.stdout }).toEqual({ code: 1, stdout: '' });
    expect(strict.stderr).toMatch(
      /^tanzanite: the certificate of https:.* is not trusted: self-signed certificate\. Give --insecure/,
    );
  });

  it('names the right scheme if the address has the wrong one', async () => {
    const [asHttp, asHttps] = [secure.replace('https:', 'http:'), url.replace('http:', 'https:')];
    const plain = await runCommand(['health', '--url', asHttp]);
    expect([plain.code, plain.stderr]).toEqual([
      1,
      expect.stringContaining(`Give --url ${secure} if it serves HTTPS.`),
    ]);
    const encrypted = await runCommand(['health', '--url', asHttps]);
    expect([encrypted.code, encrypted.stderr]).toEqual([
      1,
      expect.stringContaining(`Give --url ${url} if it serves HTTP.`),
    ]);
  });

  it('the same applies to wait and reset', async () => {
    for (const command of ['wait', 'reset']) {
      expect((await runCommand([command, '--insecure', '--url', secure])).code).toBe(0);
    }
    expect((await runCommand(['wait', '--timeout', '0', '--url', secure])).code).toBe(1);
    expect((await runCommand(['reset', '--url', secure])).code).toBe(1);
  });
});
