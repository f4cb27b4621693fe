import { X509Certificate } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Pair } from '../../../src/identity/named-pair.ts';
import { openHttps } from '../../../src/identity/open-https.ts';
import { ManualTime } from '../../support/manual-time.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const dayMs = 86_400_000;

let location: string;
beforeEach(() => {
  const made = temporaryFolder();
  location = made.path;
  return made.remove;
});

/** A log that records everything as level and text. */
function createLog() {
  const lines: string[] = [];
  const at = (level: string) => (_fields: object, text: string) => void lines.push(`${level} ${text}`);
  return { lines, info: at('info'), warn: at('warn'), error: at('error') };
}

describe('The certificate of an emulator that runs for a long time', () => {
  it('is renewed 30 days before it ends, and again', async () => {
    const machineTime = new ManualTime();
    const log = createLog();
    const https = await openHttps({ host: '127.0.0.1', location, machineTime, log });
    const replaced: Pair[] = [];
    const stop = https.keepFresh((pair) => replaced.push(pair));
    for (let day = 0; day < 800; day++) {
      machineTime.advance(dayMs);
      await expect.poll(() => machineTime.pending, { interval: 1 }).toBe(1);
    }
    expect(replaced).toHaveLength(2);
    const ends = replaced.map(({ certificate }) => Date.parse(new X509Certificate(certificate).validTo));
    expect(Math.min(...ends.map((end, at) => end - (ends[at - 1] ?? 0)))).toBeGreaterThan(360 * dayMs);
    expect(new X509Certificate(replaced[1]?.certificate ?? '').checkIssued(new X509Certificate(https.authority))).toBe(
      true,
    );
    expect(log.lines.filter((line) => line === 'info https: renewed the certificate')).toHaveLength(2);
    stop();
    expect(machineTime.pending).toBe(0);
  });

  it('is renewed after a night in which the machine slept', async () => {
    const machineTime = new ManualTime();
    const https = await openHttps({ host: '127.0.0.1', machineTime });
    const replaced: Pair[] = [];
    const stop = https.keepFresh((pair) => replaced.push(pair));
    machineTime.sleep(500 * dayMs);
    await expect.poll(() => replaced).toHaveLength(1);
    stop();
  });

  it('stays in use while a new one cannot be written; the emulator tries again the next day', async () => {
    const machineTime = new ManualTime();
    const log = createLog();
    const https = await openHttps({ host: '127.0.0.1', location, machineTime, log });
    const replaced: Pair[] = [];
    const stop = https.keepFresh((pair) => replaced.push(pair));
    chmodSync(join(location, 'https'), 0o777);
    machineTime.sleep(380 * dayMs);
    await expect.poll(() => log.lines.at(-1)).toContain('warn https: cannot renew the certificate');
    expect(replaced).toEqual([]);
    chmodSync(join(location, 'https'), 0o700);
    await expect.poll(() => machineTime.pending).toBe(1);
    machineTime.advance(dayMs);
    await expect.poll(() => replaced).toHaveLength(1);
    stop();
  });
});

describe('The file of the authority for other programs', () => {
  const openWith = (httpsAuthority: string) =>
    openHttps({ host: '0.0.0.0', location, httpsAuthority, machineTime: new ManualTime() });

  it('contains the certificate of the authority, and everybody may read it', async () => {
    const path = join(location, 'shared', 'authority.pem');
    const { authority, authorityFile } = await openWith(path);
    expect(readFileSync(path, 'utf8')).toBe(authority);
    expect(statSync(path).mode & 0o777).toBe(0o644);
    expect(authorityFile).toBe(path);
    expect(readdirSync(join(location, 'shared'))).toEqual(['authority.pem']);
  });

  it('is replaced if it contains another certificate, and left unchanged if it contains this one', async () => {
    const path = join(location, 'authority.pem');
    writeFileSync(path, 'another');
    const { authority } = await openWith(path);
    expect(readFileSync(path, 'utf8')).toBe(authority);
    const { ino } = statSync(path);
    await openWith(path);
    expect(statSync(path).ino).toBe(ino);
  });

  it('ends the start with one line if it cannot be written, and leaves nothing', async () => {
    mkdirSync(join(location, 'authority.pem', 'x'), { recursive: true });
    await expect(openWith(join(location, 'authority.pem'))).rejects.toThrow(
      /^cannot write [^\n]*authority.pem: [^\n]*$/,
    );
    expect(readdirSync(location).sort()).toEqual(['authority.pem', 'https']);
    rmSync(join(location, 'authority.pem'), { recursive: true });
    expect(existsSync(join(location, 'authority.pem'))).toBe(false);
  });
});

it('An HTTPS address names a host that is in the certificate', async () => {
  const urlOf = async (host: string) => (await openHttps({ host, machineTime: new ManualTime() })).at(1).url;
  expect(await urlOf('0.0.0.0')).toBe('https://localhost:1');
  expect(await urlOf('::')).toBe('https://localhost:1');
  expect(await urlOf('::1')).toBe('https://[::1]:1');
  expect(await urlOf('127.0.0.1')).toBe('https://127.0.0.1:1');
});
