// Tests the place in which the issuer stores its keys, and what happens to the keys after restarts, damage, full disks
// and kills. Also tests the keys of several nodes.

import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createIssuer } from '../../../src/identity/create-issuer.ts';
import { defaultTenantId } from '../../../src/identity/identifiers.ts';
import type { Issuer } from '../../../src/identity/issuer.ts';
import { PrivateFileFault } from '../../../src/identity/private-files.ts';
import { IdentityStateFault } from '../../../src/identity/state-in-force.ts';
import { bundleSource } from '../../support/bundle-source.ts';
import { Random } from '../../support/random.mjs';
import { mountSmallDisk } from '../../support/small-disk.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let folder: string;
beforeEach(() => {
  const { path, remove } = temporaryFolder();
  folder = join(path, 'identity');
  return remove;
});

const time = { nowMs: () => Date.now() };

const openIn = (place: Partial<Parameters<typeof createIssuer>[0]> = {}): Issuer =>
  createIssuer({
    folder,
    tenantId: defaultTenantId,
    principalsFile: undefined,
    clock: time,
    machineTime: time,
    ...place,
  });

const secretsOf = async (issuer: Issuer) =>
  (await issuer.principals()).map(({ clientId, secrets }) => [clientId, secrets]);
const kidsOf = async (issuer: Issuer): Promise<readonly string[]> => (await issuer.keys()).map(({ kid }) => kid);

describe('The state of the issuer in a folder', () => {
  it('does not exist before it is used', async () => {
    openIn();
    expect(existsSync(folder)).toBe(false);
  });

  it('is closed to other users, and survives a restart: keys, secrets, principals and their roles', async () => {
    const first = openIn();
    await first.rotate();
    const roles = [{ role: 'Storage Table Data Reader', account: 'a', table: 't' }];
    const made = await first.addPrincipal({ name: 'reader', roles });
    const { identityHeader } = await first.credentials(made);
    expect((statSync(folder).mode & 0o777).toString(8)).toBe('700');
    for (const name of readdirSync(folder)) expect((statSync(join(folder, name)).mode & 0o777).toString(8)).toBe('600');
    const next = openIn();
    expect(await kidsOf(next)).toEqual(await kidsOf(first));
    expect(await secretsOf(next)).toEqual(await secretsOf(first));
    expect((await next.principals()).at(-1)).toMatchObject({ name: 'reader', roles });
    expect((await next.credentials(made)).identityHeader).toBe(identityHeader);
  });

  it.each([
    ['no JSON', '{', 'it is damaged'],
    ['another version', '{"version":2}', 'it is of another version of Tanzanite'],
    ['no keys', '{"version":1,"keys":[],"principals":[],"federationKey":"x","identityHeader":"x"}', 'it is damaged'],
  ])('is refused with %s, in one line without its content, and does not change', async (_, text, reason) => {
    mkdirSync(folder, { mode: 0o700 });
    const path = join(folder, 'issuer.json');
    writeFileSync(path, text, { mode: 0o600 });
    const message = `${path} cannot be used: ${reason}. Remove it, and the issuer makes new keys and a new secret.`;
    await expect(openIn().keys()).rejects.toThrow(new IdentityStateFault(message));
    await expect(openIn().rotate()).rejects.toThrow(IdentityStateFault);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it.runIf(process.platform !== 'win32')('is refused if others can read it, or if it is a link', async () => {
    await openIn().keys();
    chmodSync(join(folder, 'issuer.json'), 0o644);
    await expect(openIn().keys()).rejects.toThrow(PrivateFileFault);
    const link = `${folder}-link`;
    symlinkSync(folder, link);
    await expect(openIn({ folder: link }).keys()).rejects.toThrow(PrivateFileFault);
  });

  it('can be used again when the fault is repaired', async () => {
    const issuer = openIn();
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(folder, 'issuer.json'), '{', { mode: 0o600 });
    await expect(issuer.keys()).rejects.toThrow(IdentityStateFault);
    writeFileSync(join(folder, 'issuer.json'), JSON.stringify(await stateOfOther()));
    expect(await kidsOf(issuer)).toHaveLength(1);
  });

  /** The state that another issuer has written. */
  async function stateOfOther(): Promise<unknown> {
    const other = `${folder}-other`;
    await openIn({ folder: other }).keys();
    return JSON.parse(readFileSync(join(other, 'issuer.json'), 'utf8'));
  }
});

const disk = mountSmallDisk(1);
afterEach(() => disk?.free());

describe.runIf(disk !== undefined)('A full disk', () => {
  afterEach(() => disk?.remove());

  it('refuses a rotation and a principal; the old state stays valid, in memory and in the file', async () => {
    const place = { folder: join(disk?.path ?? '', 'identity') };
    const issuer = openIn(place);
    const before = [await kidsOf(issuer), await secretsOf(issuer)];
    disk?.fill();
    await expect(issuer.rotate()).rejects.toThrow(PrivateFileFault);
    await expect(issuer.addPrincipal({ name: 'late' })).rejects.toThrow(PrivateFileFault);
    expect([await kidsOf(issuer), await secretsOf(issuer)]).toEqual(before);
    disk?.free();
    expect([await kidsOf(openIn(place)), await secretsOf(openIn(place))]).toEqual(before);
    await issuer.rotate();
    expect(await kidsOf(openIn(place))).toEqual(await kidsOf(issuer));
  });
});

describe('A process that is killed while it rotates', { timeout: 120_000 }, () => {
  it('leaves the keys that it acknowledged, and at most one more', async () => {
    const bundle = await bundleSource('identity/create-issuer.ts', dirname(folder));
    const random = new Random(36);
    const program = `
      import { createIssuer } from ${JSON.stringify(bundle)};
      const time = { nowMs: () => Date.now() };
      const issuer = createIssuer({ folder: ${JSON.stringify(folder)}, tenantId: 'x', clock: time, machineTime: time });
      for (;;) console.log((await issuer.rotate()).kid);`;
    for (let round = 0; round < 3; round += 1) {
      const known = new Set(existsSync(folder) ? await kidsOf(openIn()) : []);
      const child = spawn(process.execPath, ['--input-type=module', '-e', program]);
      const acknowledged: string[] = [];
      const wanted = random.integer(1, 2);
      await new Promise<void>((resolve, reject) => {
        child.on('error', reject);
        child.stderr.on('data', (text) => reject(new Error(String(text))));
        child.stdout.on('data', (text) => {
          acknowledged.push(...String(text).split('\n').filter(Boolean));
          if (acknowledged.length >= wanted) child.kill('SIGKILL');
        });
        child.on('exit', () => resolve());
      });
      const kids = await kidsOf(openIn());
      expect(kids).toEqual(expect.arrayContaining([...known, ...acknowledged]));
      // The first rotation also makes the first key.
      expect(kids.length - known.size - acknowledged.length).toBeLessThanOrEqual(known.size === 0 ? 2 : 1);
    }
  });
});

describe('The state of the issuer in a database of several nodes', () => {
  /** Texts that nodes share. Notices of changes arrive when the test says so. */
  function sharedTexts() {
    let text: string | undefined;
    const listeners: ((name: string | undefined) => void)[] = [];
    return {
      notify: () => listeners.map((listener) => listener(undefined)),
      isDown: false,
      async read() {
        if (this.isDown) throw new Error('the database is away');
        return text;
      },
      async update(_name: string, change: (current: string | undefined) => string) {
        if (this.isDown) throw new Error('the database is away');
        text = change(change(text) && text);
        return text;
      },
      onChange: (listener: (name: string | undefined) => void) => void listeners.push(listener),
    };
  }

  it('is shared: two nodes that begin at the same time have the same keys and secrets', async () => {
    const texts = sharedTexts();
    const nodes = [openIn({ texts }), openIn({ texts })] as const;
    const [one, other] = await Promise.all(nodes.map(kidsOf));
    expect(one).toEqual(other);
    expect(await secretsOf(nodes[0])).toEqual(await secretsOf(nodes[1]));
    expect(existsSync(folder)).toBe(false);
  });

  it('loses no key of two rotations at the same time', async () => {
    const texts = sharedTexts();
    const nodes = [openIn({ texts }), openIn({ texts })] as const;
    const rotated = await Promise.all(nodes.map((node) => node.rotate()));
    texts.notify();
    for (const node of nodes) expect(await kidsOf(node)).toEqual(expect.arrayContaining(rotated.map(({ kid }) => kid)));
  });

  it('gets the key of another node before a notice arrives, by reading at most once per second', async () => {
    const texts = sharedTexts();
    const nodes = [openIn({ texts }), openIn({ texts })] as const;
    await Promise.all(nodes.map(kidsOf));
    let reads = 0;
    const { read } = texts;
    texts.read = function () {
      reads += 1;
      return read.call(this);
    };
    const { kid } = await nodes[0].rotate();
    expect(await nodes[1].find(kid)).toBeDefined();
    for (let at = 0; at < 100; at += 1) expect(await nodes[1].find(`unknown ${at}`)).toBeUndefined();
    expect(reads).toBeLessThan(10);
  });

  it('is read again when the database is back', async () => {
    const texts = sharedTexts();
    const issuer = openIn({ texts });
    texts.isDown = true;
    await expect(issuer.keys()).rejects.toThrow('away');
    texts.isDown = false;
    expect(await kidsOf(issuer)).toHaveLength(1);
  });
});
