import { X509Certificate } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { namesToServe } from '../../../src/identity/certificate-names.ts';
import { type HttpsCertificates, openCertificates, readAuthority } from '../../../src/identity/https-certificates.ts';
import { PrivateFileFault } from '../../../src/identity/private-files.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 5, 1);

let folder: string;
beforeEach(() => {
  const made = temporaryFolder();
  folder = join(made.path, 'https');
  return made.remove;
});

interface Given {
  readonly given?: string;
  readonly listenHost?: string;
  readonly machine?: string;
  readonly nowMs?: number;
}

const open = ({ given = '', listenHost = '127.0.0.1', machine = 'box', nowMs = startMs }: Given = {}) =>
  openCertificates({ folder, names: { given, listenHost, machine }, nowMs });

const leafOf = ({ served }: HttpsCertificates): X509Certificate => new X509Certificate(served.certificate);
const authorityOf = ({ authority }: HttpsCertificates): X509Certificate => new X509Certificate(authority);
const daysOf = ({ validFrom, validTo }: X509Certificate): number =>
  (Date.parse(validTo) - Date.parse(validFrom)) / dayMs;

describe('The certificates of --https auto', () => {
  it('are a certificate for 397 days, and an authority for ten years that signed it', async () => {
    const opened = await open();
    const [leaf, authority] = [leafOf(opened), authorityOf(opened)];
    expect(leaf.checkIssued(authority) && leaf.verify(authority.publicKey)).toBe(true);
    expect([leaf.ca, authority.ca]).toEqual([false, true]);
    expect(daysOf(leaf)).toBe(397);
    expect(Math.round(daysOf(authority))).toBe(3652);
    expect(authority.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    expect(opened.renewalMs).toBe(Date.parse(leaf.validTo) - 30 * dayMs);
  });

  it.each([
    'localhost',
    'host.docker.internal',
    'box',
    'devstoreaccount1.table.core.windows.net',
    'devstoreaccount1-secondary.table.core.windows.net',
    'devstoreaccount1.table.localhost',
    'tanzanite',
    'my_service',
    'a.example.com',
    'xn--mnchen-3ya.example',
  ])('contain the name %s', async (name) => {
    const leaf = leafOf(await open({ given: 'Tanzanite, my_service ,*.example.com,münchen.example' }));
    expect(leaf.checkHost(name)).toBeDefined();
  });

  it.each(['127.0.0.1', '::1', '10.1.2.3', 'fd00::7', '::ffff:1.2.3.4', '192.168.0.9'])(
    'hold the address %s',
    async (address) => {
      const leaf = leafOf(await open({ given: '10.1.2.3,[FD00:0:0::7],::ffff:1.2.3.4', listenHost: '192.168.0.9' }));
      expect(leaf.checkIP(address)).toBeDefined();
    },
  );

  it('contain no other names', async () => {
    const leaf = leafOf(await open());
    for (const name of ['example.com', 'windows.net', 'a.b.table.core.windows.net', 'box.example'])
      expect(leaf.checkHost(name)).toBeUndefined();
    expect(leaf.checkIP('10.0.0.1')).toBeUndefined();
  });

  it.each(['a b', 'https://x', 'x:10002', '-x', '*', '*.com.', 'a..b', '300.1.1.1', 'x/24', '"', 'a\nb', '*.'])(
    'are refused for the name %j',
    async (name) => {
      await expect(open({ given: name })).rejects.toThrow(/ is neither the name of a host nor an IP address$/);
      expect(readdirSync(join(folder, '..'))).toEqual([]);
    },
  );

  it.each(['com', 'DEV', 'tz', 'x.example,cloud'])(
    'are refused for %s: the authority could sign for hosts of strangers',
    async (given) => {
      await expect(open({ given })).rejects.toThrow(/ is a top-level domain: .* Name the host in full$/);
      await expect(open({ listenHost: given.replace(/.*,/, '') })).rejects.toThrow('is a top-level domain');
      expect(readdirSync(join(folder, '..'))).toEqual([]);
    },
  );

  it('contain up to a hundred given names', async () => {
    const names = Array.from({ length: 100 }, (_, at) => `h${at}.${'a'.repeat(60)}.example`);
    const leaf = leafOf(await open({ given: names.join(',') }));
    for (const name of names) expect(leaf.checkHost(name)).toBe(name);
    await expect(open({ given: [...names, 'one.more'].join(',') })).rejects.toThrow(
      '101 https names were given: at most 100 are accepted',
    );
  });

  it('are the same at the next start, and only the user can read their keys', async () => {
    const first = await open();
    expect(first.notes).toEqual([`made a certificate authority in ${folder}`]);
    const second = await open({ nowMs: startMs + 300 * dayMs });
    expect([second.authority, second.served.certificate]).toEqual([first.authority, first.served.certificate]);
    expect(second.notes).toEqual([]);
    expect(readdirSync(folder).sort()).toEqual(['authority.json', 'authority.pem', 'certificate.json']);
    const modes = readdirSync(folder)
      .sort()
      .map((file) => (statSync(join(folder, file)).mode & 0o777).toString(8));
    expect(modes).toEqual(['600', '644', '600']);
    expect(readFileSync(join(folder, 'authority.pem'), 'utf8')).toBe(first.authority);
    expect(readAuthority(folder)?.certificate).toBe(first.authority);
  });

  it('are new each time if they are in memory', async () => {
    const source = { folder: undefined, names: { given: '', listenHost: '::', machine: 'box' }, nowMs: startMs };
    const [first, second] = [await openCertificates(source), await openCertificates(source)];
    expect(first.authority).not.toBe(second.authority);
    const renewed = await first.renew(startMs + 380 * dayMs);
    expect(leafOf(renewed).verify(authorityOf(first).publicKey)).toBe(true);
    expect(renewed.served.certificate).not.toBe(first.served.certificate);
  });
});

describe('A new certificate', () => {
  it.each([
    ['30 days before the old one ends', { nowMs: startMs + 368 * dayMs }],
    ['once the old one has ended', { nowMs: startMs + 500 * dayMs }],
    ['when the machine has a clock before the old one', { nowMs: startMs - dayMs }],
    ['for a name below one that the authority may sign for', { given: 'api.box' }],
    ['for another address of loopback', { listenHost: '127.0.0.9' }],
  ] as const)('is made %s, by the same authority', async (_when, given) => {
    const first = await open();
    const second = await open(given);
    expect(second.authority).toBe(first.authority);
    expect(second.served.certificate).not.toBe(first.served.certificate);
    expect(second.notes).toEqual([]);
  });

  it.each(['', '{}', '[]', 'null', '{"names":{"hosts":[1],"addresses":[]}}', 'x'.repeat(1000)])(
    'replaces a damaged one: %j',
    async (text) => {
      const first = await open();
      writeFileSync(join(folder, 'certificate.json'), text);
      const second = await open();
      expect(second.authority).toBe(first.authority);
      expect(leafOf(second).verify(authorityOf(first).publicKey)).toBe(true);
    },
  );

  it('replaces one that another authority signed, and one with the key of another certificate', async () => {
    const first = await open();
    const path = join(folder, 'certificate.json');
    const mine = JSON.parse(readFileSync(path, 'utf8'));
    const other = await openCertificates({
      folder: undefined,
      names: { given: '', listenHost: '', machine: 'box' },
      nowMs: startMs,
    });
    writeFileSync(path, JSON.stringify({ ...mine, ...other.served }));
    expect(leafOf(await open()).verify(authorityOf(first).publicKey)).toBe(true);
    writeFileSync(path, JSON.stringify({ ...mine, key: other.served.key }));
    expect(leafOf(await open()).verify(authorityOf(first).publicKey)).toBe(true);
  });

  it('never ends after its authority, and the last certificate is used until then', async () => {
    const first = await open();
    const endMs = Date.parse(authorityOf(first).validTo);
    const last = await open({ nowMs: endMs - 100 * dayMs });
    expect(Date.parse(leafOf(last).validTo)).toBe(endMs);
    expect(last.renewalMs).toBe(Number.POSITIVE_INFINITY);
    expect((await open({ nowMs: endMs - dayMs })).served.certificate).toBe(last.served.certificate);
  });
});

describe('A new authority', () => {
  it('is made for a name for which the old one may not sign, and a line says so', async () => {
    const first = await open();
    const second = await open({ given: 'tanzanite' });
    expect(second.authority).not.toBe(first.authority);
    expect(second.notes).toEqual([
      `made a new certificate authority in ${folder}: the old one may not sign for tanzanite. Clients must trust the new authority`,
    ]);
    expect(readFileSync(join(folder, 'authority.pem'), 'utf8')).toBe(second.authority);
    expect((await open()).authority).toBe(second.authority);
  });

  it('is made when the old one has expired', async () => {
    const first = await open();
    const second = await open({ nowMs: startMs + 3653 * dayMs });
    expect(second.authority).not.toBe(first.authority);
    expect(second.notes[0]).toContain('the old one ended on 2036-05-31');
  });

  it('is not made for a new name of the machine, such as a container gets', async () => {
    const first = await open({ machine: 'ab12' });
    const second = await open({ machine: 'cd34' });
    expect(second.authority).toBe(first.authority);
    expect(leafOf(second).checkHost('cd34')).toBeUndefined();
    expect(leafOf(second).checkHost('localhost')).toBe('localhost');
  });

  it.each(['', '{', '{"names":{}}', 'x'.repeat(100)])('does not replace a damaged authority: %j', async (text) => {
    await open();
    const path = join(folder, 'authority.json');
    writeFileSync(path, text);
    const message = `${path} is damaged. Restore the file from a copy, or remove it. If you remove it, the next start makes a new authority, which clients must trust.`;
    await expect(open()).rejects.toThrow(new PrivateFileFault(message));
    expect(() => readAuthority(folder)).toThrow(message);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it("does not replace a certificate that is not an authority's", async () => {
    await open();
    writeFileSync(join(folder, 'authority.json'), readFileSync(join(folder, 'certificate.json')));
    await expect(open()).rejects.toThrow('is damaged');
  });
});

describe('The folder of the certificates', () => {
  it('is refused if others can write to it, or if a file is a link or can be read by others', async () => {
    await open();
    chmodSync(folder, 0o777);
    await expect(open()).rejects.toThrow(PrivateFileFault);
    chmodSync(folder, 0o700);
    chmodSync(join(folder, 'authority.json'), 0o644);
    await expect(open()).rejects.toThrow('others can use');
  });

  it('is refused if it is a link to another folder', async () => {
    mkdirSync(`${folder}-other`, { mode: 0o700 });
    symlinkSync(`${folder}-other`, folder);
    await expect(open()).rejects.toThrow('is a symbolic link');
    expect(readdirSync(`${folder}-other`)).toEqual([]);
  });

  it('has the same authority for concurrent starts', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => open()));
    expect(new Set(all.map(({ authority }) => authority)).size).toBe(1);
    for (const opened of all) expect(leafOf(opened).verify(authorityOf(opened).publicKey)).toBe(true);
    expect(all.flatMap(({ notes }) => notes)).toHaveLength(1);
  });
});

it('The names of a certificate leave out a name of the machine that no host can have', () => {
  for (const machine of ["Bob's Mac", 'Dev']) {
    const names = namesToServe({ given: '', listenHost: '0.0.0.0', machine });
    expect(names.hosts).toEqual(['localhost', '*.table.localhost', 'host.docker.internal', '*.table.core.windows.net']);
  }
});
