// `tanzanite start --https auto`, started by the command line and by the library.

import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type EmulatorOptions, startEmulator } from '../../../src/index.ts';
import { canFailDisks, prepareDiskFaults } from '../../support/disk-faults/disk-faults.ts';
import { runCommand } from '../../support/run-command.ts';
import { startBuiltCommand } from '../../support/start-built-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let folder: string;
let location: string;
let keys: string;

beforeEach(() => {
  const made = temporaryFolder();
  folder = made.path;
  location = join(folder, 'data');
  keys = join(location, 'https');
  return made.remove;
});

/** The status of a GET over HTTPS. The client trusts only this authority. */
function statusOf(url: string, ca = ''): Promise<number> {
  const request = url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    request(url, { ca, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

const startWords = (): string[] => ['start', '--tablePort', '0', '--https', 'auto', '--location', location];

describe('tanzanite start --https auto', () => {
  it('answers HTTP and HTTPS on one port, and prints the address and the authority', async () => {
    const { server, origin } = await startBuiltCommand([...startWords(), '--log-format', 'json']);
    onTestFinished(() => void server.end('SIGKILL'));
    const authority = readFileSync(join(keys, 'authority.pem'), 'utf8');
    expect(origin).toMatch(/^http:/);
    const httpsUrl = origin.replace('http:', 'https:');
    expect(await statusOf(`${origin}/_emulator/ready`)).toBe(200);
    expect(await statusOf(`${httpsUrl}/_emulator/ready`, authority)).toBe(200);
    await expect(statusOf(`${httpsUrl}/_emulator/ready`)).rejects.toThrow(/certificate/);
    const lines = server.stdout.split('\n').filter((line) => line !== '');
    const parsed = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(parsed.find(({ url }) => url === origin)).toMatchObject({ httpsUrl });
    expect(server.stdout).toContain(`HTTPS on the same port: ${httpsUrl}; CA certificate: ${keys}/authority.pem`);
    expect((await server.end('SIGTERM')).code).toBe(0);
  });

  it('has the same authority after it was killed', async () => {
    const read = async (): Promise<string> => {
      const { server } = await startBuiltCommand(startWords());
      await server.end('SIGKILL');
      return readFileSync(join(keys, 'authority.json'), 'utf8');
    };
    expect(await read()).toBe(await read());
  });

  const refusal = async (...more: readonly string[]): Promise<string> => {
    const { code, stderr } = await runCommand([...startWords(), ...more], { cwd: folder });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^tanzanite: [^\n]+\n$/);
    return stderr;
  };

  it('is refused with one line for a folder or a file that others could choose', async () => {
    mkdirSync(keys, { recursive: true });
    chmodSync(keys, 0o777);
    expect(await refusal()).toContain(`others can write to ${keys}`);
    const link = join(folder, 'link');
    symlinkSync(folder, link);
    expect(await refusal('--https-dir', link)).toContain(`${link} is a symbolic link`);
    chmodSync(keys, 0o700);
    writeFileSync(join(keys, 'authority.json'), '{}', { mode: 0o600 });
    expect(await refusal()).toContain('authority.json is damaged');
  });

  it('is refused with one line for an invalid name, and together with a certificate of the user', async () => {
    expect(await refusal('--https-name', '')).toContain('--https-name must not be empty.');
    expect(await refusal('--https-name', 'a b')).toContain('the https name "a b" is neither the name of a host');
    expect(await refusal('--cert', 'cert.pem', '--pwd', '')).toContain('--https auto and --cert contradict each other');
    const { code, stderr } = await runCommand(['start', '--https-name', 'a'], { cwd: folder });
    expect([code, stderr]).toEqual([2, 'tanzanite: --https-name a needs a --https (auto) as well.\n']);
  });

  it.skipIf(!canFailDisks()).each(['EIO', 'ENOSPC'] as const)(
    'is refused with one line if the disk answers %s, leaves no incomplete file, and starts when the disk works',
    async (error) => {
      const faults = prepareDiskFaults(folder);
      faults.begin({ calls: ['write'], error, path: keys });
      const { code, stderr } = await runCommand(startWords(), { cwd: folder, env: faults.env });
      expect([code, stderr]).toEqual([2, expect.stringMatching(new RegExp(`^tanzanite: cannot write [^\n]*${error}`))]);
      expect(readdirSync(keys)).toEqual([]);
      faults.end();
      const { server } = await startBuiltCommand(startWords());
      expect((await server.end('SIGTERM')).code).toBe(0);
      expect(readdirSync(keys).sort()).toEqual(['authority.json', 'authority.pem', 'certificate.json']);
    },
  );
});

describe("startEmulator({ https: 'auto' })", () => {
  const start = async (options: EmulatorOptions = {}) => {
    const emulator = await startEmulator({ https: 'auto', ...options });
    onTestFinished(() => emulator.close());
    return emulator;
  };

  it('returns the address and the authority, and stores nothing without a location', async () => {
    const { url, httpsUrl = '', certificateAuthority } = await start({ host: '127.0.0.1' });
    expect(httpsUrl).toBe(url.replace('http:', 'https:'));
    expect(await statusOf(`${httpsUrl}/_emulator/ready`, certificateAuthority)).toBe(200);
    expect(await statusOf(`${url}/_emulator/ready`)).toBe(200);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('stores the authority in httpsDir, also for data in memory', async () => {
    const first = await start({ httpsDir: keys });
    const second = await start({ httpsDir: keys });
    expect(second.certificateAuthority).toBe(first.certificateAuthority);
  });

  it('refuses an invalid name, and tls together with https', async () => {
    await expect(start({ httpsName: '*' })).rejects.toThrow('the https name "*" is neither the name of a host');
    const tls = { cert: '', key: '' };
    await expect(start({ tls: { ...tls, cert: 'x', key: 'y' } })).rejects.toThrow(
      /https 'auto' cannot be given with tls/,
    );
    await expect(startEmulator({ httpsName: 'a' })).rejects.toThrow('httpsName needs a https as well');
  });

  it('has neither address nor authority without https', async () => {
    await using emulator = await startEmulator();
    expect([emulator.httpsUrl, emulator.certificateAuthority]).toEqual([undefined, undefined]);
  });
});
