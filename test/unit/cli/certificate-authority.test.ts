// `tanzanite ca` and `tanzanite hosts`. Each line of --trust is tried with a program for which it is meant.

import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Emulator, startEmulator } from '../../../src/index.ts';
import { runCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const run = promisify(execFile);
const has = (...words: readonly [string, ...string[]]): boolean => {
  const [command, ...args] = words;
  return spawnSync(command, args).status === 0;
};

let folder: string;
let location: string;
let kept: Emulator;
let inMemory: Emulator;

beforeAll(async () => {
  const made = temporaryFolder();
  folder = made.path;
  location = join(folder, "it's data");
  kept = await startEmulator({ https: 'auto', location });
  inMemory = await startEmulator({ https: 'auto' });
  return async () => {
    await Promise.all([kept.close(), inMemory.close()]);
    made.remove();
  };
});

// As if npm had not started the tests, so that the command is said to be on the PATH.
const env = { npm_command: undefined };
const ca = async (...words: readonly string[]) => runCommand(['ca', ...words], { cwd: folder, env });

describe('tanzanite ca', () => {
  it('prints the authority of a running emulator', async () => {
    for (const { url, httpsUrl = '', certificateAuthority } of [kept, inMemory]) {
      expect(await ca('--url', url)).toEqual({ code: 0, stdout: certificateAuthority, stderr: '' });
      const overHttps = await ca('--url', httpsUrl, '--insecure');
      expect(overHttps.stdout).toBe(certificateAuthority);
    }
  });

  it('prints the authority in a location, and in a folder of --https-dir', async () => {
    const expected = { code: 0, stdout: kept.certificateAuthority, stderr: '' };
    expect(await ca('--location', location)).toEqual(expected);
    expect(await ca('--https-dir', join(location, 'https'))).toEqual(expected);
  });

  it.each([
    [['--location', 'absent'], 2, /absent\/https holds no certificate authority/],
    [['--location', 'a', '--https-dir', 'b'], 2, /--location and --https-dir contradict each other/],
    [['--trust', 'cobol'], 2, /--trust/],
    [['--url', 'http://127.0.0.1:1'], 1, /no emulator answers at http:\/\/127\.0\.0\.1:1/],
  ])('ends with one line and its exit code: %j', async (words, code, reason) => {
    const result = await ca(...words);
    expect([result.code, result.stdout]).toEqual([code, '']);
    expect(result.stderr).toMatch(/^tanzanite: [^\n]+\n$/);
    expect(result.stderr).toMatch(reason);
  });

  it('says so if the emulator was started without --https auto', async () => {
    await using plain = await startEmulator();
    const { code, stderr } = await ca('--url', plain.url);
    expect([code, stderr]).toEqual([1, expect.stringContaining('start it with --https auto')]);
  });

  it('refuses --trust container if there is no file to mount', async () => {
    const { code, stderr } = await ca('--trust', 'container', '--url', inMemory.url);
    expect([code, stderr]).toEqual([2, expect.stringContaining('start the emulator with --https-authority FILE')]);
  });

  it('names files and variables for a container', async () => {
    const { stdout } = await ca('--trust', 'container', '--url', kept.url);
    const file = join(location, 'https', 'authority.pem').replaceAll("'", `'\\''`);
    expect(stdout).toContain(`--volume '${file}':/etc/tanzanite-authority.pem:ro --env NODE_EXTRA_CA_CERTS=`);
  });
});

/** Programs that send a GET to the address in their last argument, and print the status. */
const programs = {
  node: {
    isThere: true,
    words: [process.execPath, '-e', 'fetch(process.argv[1]).then(({ status }) => console.log(status))'],
  },
  python: {
    isThere: has('python3', '--version'),
    words: ['python3', '-c', 'import sys, urllib.request as r; print(r.urlopen(sys.argv[1]).status)'],
  },
  curl: { isThere: has('curl', '--version'), words: ['curl', '-sS', '-o', 'answer', '-w', '%{http_code}'] },
  java: {
    isThere: has('javac', '--version') && has('keytool', '-help'),
    words: ['java', '-XX:TieredStopAtLevel=1', '-cp', '.', 'Get'],
  },
  go: { isThere: has('go', 'version'), words: ['./get'] },
} as const;

const javaSource = `import java.net.*;
class Get {
  public static void main(String[] words) throws Exception {
    System.out.println(((HttpURLConnection) new URI(words[0]).toURL().openConnection()).getResponseCode());
  }
}`;
const goSource = `package main
import ("fmt"; "net/http"; "os")
func main() {
  response, err := http.Get(os.Args[1])
  if err != nil { fmt.Println(err); os.Exit(1) }
  fmt.Println(response.StatusCode)
}`;

describe.each(Object.entries(programs))('A program of %s', (name, { isThere, words }) => {
  if (!isThere) console.warn(`--trust ${name}: skipped, the program is not installed`);

  it.skipIf(!isThere)(
    'trusts the emulator after the line of --trust, and not before',
    { timeout: 120_000 },
    async () => {
      writeFileSync(join(folder, 'Get.java'), javaSource);
      writeFileSync(join(folder, 'get.go'), goSource);
      const goEnv = { ...process.env, GOFLAGS: '-mod=mod', GO111MODULE: 'off' };
      if (name === 'java') await run('javac', ['Get.java'], { cwd: folder });
      if (name === 'go') await run('go', ['build', '-o', 'get', 'get.go'], { cwd: folder, env: goEnv });
      const program = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
      for (const { url, httpsUrl = '', connectionString } of [kept, inMemory]) {
        expect(connectionString).not.toBe('');
        const address = `${httpsUrl}/_emulator/ready`;
        const { stdout: line } = await ca('--trust', name, '--url', url);
        expect(line).toMatch(/^[^\n]+\n$/);
        // The command is not on the PATH, so the script defines it as a function.
        const command = `tanzanite() { '${process.execPath}' '${join(process.cwd(), 'dist/cli.js')}' "$@"; }`;
        const script = `${command}\n${line}${program} '${address}'`;
        const trusting = await run('sh', ['-c', script], { cwd: folder });
        expect(trusting.stdout.trim().split('\n').at(-1)).toBe('200');
        await expect(run('sh', ['-c', `${program} '${address}'`], { cwd: folder })).rejects.toThrow();
      }
    },
  );
});

describe('tanzanite hosts', () => {
  const hosts = async (...words: readonly string[]) => runCommand(['hosts', ...words], { cwd: folder });

  it('prints an entry for each account, with its secondary', async () => {
    writeFileSync(join(folder, 'accounts.txt'), 'first:a2V5;second:a2V5');
    const { stdout } = await hosts('--accounts', 'accounts.txt', '--address', '::1');
    expect(stdout.split('\n')).toEqual([
      '::1 first.table.core.windows.net first-secondary.table.core.windows.net',
      '::1 second.table.core.windows.net second-secondary.table.core.windows.net',
      '',
    ]);
    expect((await hosts()).stdout).toMatch(/^127\.0\.0\.1 devstoreaccount1\.table\.core\.windows\.net /);
    expect((await hosts('--account', 'mine')).stdout).toMatch(/^127\.0\.0\.1 mine\.table\.core\.windows\.net /);
  });

  it.each([
    [['--address', 'localhost'], '--address localhost is not an IP address.'],
    [['--account', 'No.Name'], '--account No.Name is not an account name'],
    [['--accounts', 'any'], '--accounts any takes every name. Give an --account.'],
    [['--accounts', 'absent.txt'], '--accounts absent.txt'],
  ])('refuses options that cannot make an entry: %j', async (words, reason) => {
    const { code, stdout, stderr } = await hosts(...words);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(reason)]);
  });

  it('names hosts that the certificate of --https auto has', async () => {
    const { stdout } = await hosts('--account', 'mine');
    const [, ...names] = stdout.trim().split(' ');
    const { X509Certificate } = await import('node:crypto');
    const stored = JSON.parse(readFileSync(join(location, 'https', 'certificate.json'), 'utf8'));
    const certificate = new X509Certificate(stored.certificate);
    expect(names.map((name) => certificate.checkHost(name) !== undefined)).toEqual([true, true]);
  });
});
