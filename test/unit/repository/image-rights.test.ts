// To which user the entry of the image changes, and how it handles files of other users.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type ContainerProcess, type Image, useImages } from '../../support/image.ts';

const setprivCommand: string = 'setpriv';
const opensslCommand: string = 'openssl';
const unshareCommand: string = 'unshare';
const lack = [
  process.getuid?.() === 0 ? '' : 'the rights of root',
  spawnSync(setprivCommand, ['--version']).status === 0 ? '' : 'setpriv',
  spawnSync(opensslCommand, ['version']).status === 0 ? '' : 'openssl',
].filter(Boolean);
if (lack.length > 0) console.warn(`the rights of the image: skipped, they need ${lack.join(', ')}`);

const layOutImage = useImages();
const fakeAzurite = fileURLToPath(new URL('../../support/fake-azurite', import.meta.url));
const ready = /Table service is successfully listening at https?:\/\/\S+:(\d+)\n/;
const anyPort = ['--tablePort', '0'];
const withoutCapabilities = ['setpriv', '--inh-caps=-all', '--bounding-set=-all', '--no-new-privs'];
const fewCapabilities = ['setpriv', '--inh-caps=-all', '--bounding-set=-all,+chown,+setuid,+setgid'];
const asUser = (uid: number): string[] => ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];

function statusOf({ pid }: ContainerProcess): Record<string, string> {
  const lines = readFileSync(`/proc/${pid}/status`, 'utf8').split('\n');
  return Object.fromEntries(lines.map((line) => line.split(/:\s+/, 2) as [string, string]));
}

const ownerOf = (path: string): number => statSync(path).uid;

/** Writes a certificate that everyone may read, and its key, which only the owner may read. */
function writeCertificate({ folder }: Image): string[] {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const args = ['req', '-x509', '-nodes', '-days', '2', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  expect(spawnSync(opensslCommand, [...args, '-subj', '/CN=localhost', '-keyout', key, '-out', cert]).status).toBe(0);
  chmodSync(cert, 0o644);
  chmodSync(key, 0o600);
  return ['--cert', cert, '--key', key];
}

const places = ['/dev/shm', '/tmp'].filter((place) => existsSync(place));

/** The folders with a copy of a key for another user. They are removed: an engine removes them with the container. */
function copiesOf(key: string): string[] {
  const folders = places.flatMap((place) => readdirSync(place).map((name) => join(place, name)));
  const content = readFileSync(key);
  const isCopy = (folder: string): boolean => {
    const file = join(folder, basename(key));
    try {
      return realpathSync(file) !== realpathSync(key) && readFileSync(file).equals(content);
    } catch {
      return false;
    }
  };
  const copies = folders.filter(isCopy);
  for (const folder of copies) rmSync(folder, { recursive: true });
  return copies;
}

/** The copy is in memory, unless the machine has no such folder. */
function expectOneCopy(key: string): void {
  expect(copiesOf(key).map((folder) => dirname(folder))).toEqual(places.slice(0, 1));
}

describe.skipIf(lack.length > 0)('started as root, the image', () => {
  it('becomes user 1000 without other groups, and cannot go back', async () => {
    const container = layOutImage().run(anyPort);
    await container.printed(ready);
    const { Uid, Gid, Groups, CapEff, CapPrm } = statusOf(container);
    expect({ Uid, Gid, Groups: Groups?.trim() }).toEqual({
      Uid: '1000\t1000\t1000\t1000',
      Gid: '1000\t1000\t1000\t1000',
      Groups: '1000',
    });
    expect([CapEff, CapPrm]).toEqual(['0000000000000000', '0000000000000000']);
  });

  it("takes over only the folder and its own files, if they are root's", async () => {
    const image = layOutImage();
    const files = ['tanzanite.lock', '__blobstorage__/a', 'https/a', 'identity/a', 'notes.txt'];
    for (const folder of ['__blobstorage__', 'https', 'identity']) mkdirSync(join(image.data, folder));
    for (const file of files) writeFileSync(join(image.data, file), '');
    await image.run(anyPort).printed(ready);
    const owners = ['', ...files].map((file) => ownerOf(join(image.data, file)));
    expect(owners).toEqual([1000, 1000, 1000, 1000, 1000, 0]);
  });

  it('takes over a folder and reads a key that variables name', async () => {
    const image = layOutImage();
    const [, cert = '', , key = ''] = writeCertificate(image);
    const [location, debug] = [join(image.folder, 'kept'), join(image.folder, 'debug.log')];
    mkdirSync(location);
    const paths = { TANZANITE_LOCATION: location, TANZANITE_DEBUG: debug, TANZANITE_CERT: cert, TANZANITE_KEY: key };
    const container = image.run([], { env: { TANZANITE_TABLE_PORT: '0', ...paths } });
    await container.printed(/listening at https:/);
    expect(statusOf(container)['Uid']).toBe('1000\t1000\t1000\t1000');
    expect([location, join(location, 'tanzanite.lock'), debug, key].map(ownerOf)).toEqual([1000, 1000, 1000, 0]);
    expectOneCopy(key);
  });

  it('takes over a folder and reads a key that a settings file of root in the volume names', async () => {
    const image = layOutImage();
    const [, cert = '', , key = ''] = writeCertificate(image);
    const [location, debug] = [join(image.folder, 'kept'), join(image.folder, 'debug.log')];
    mkdirSync(location);
    writeFileSync(join(image.data, 'tanzanite.json'), JSON.stringify({ tablePort: 0, location, debug, cert, key }));
    const container = image.run([]);
    await container.printed(/listening at https:/);
    expect(statusOf(container)['Uid']).toBe('1000\t1000\t1000\t1000');
    expect([location, join(location, 'tanzanite.lock'), debug, key].map(ownerOf)).toEqual([1000, 1000, 1000, 0]);
    expectOneCopy(key);
  });

  it.each([
    ['is of another user', 1000, 0o644],
    ['others may write', 0, 0o664],
  ])('hands over no file that is named by a settings file that %s', async (_, owner, mode) => {
    const image = layOutImage();
    const [location, debug, file] = ['kept', 'debug.log', 'data/tanzanite.json'].map((name) =>
      join(image.folder, name),
    );
    mkdirSync(location ?? '');
    for (const path of [debug, file]) writeFileSync(path ?? '', '');
    writeFileSync(file ?? '', JSON.stringify({ tablePort: 0, location, debug }));
    chownSync(file ?? '', owner, owner);
    chmodSync(file ?? '', mode);
    const container = image.run([]);
    expect(await container.ended).toBe(2);
    expect(container.stderr).toMatch(
      /^tanzanite: user 1000:1000 may not write to \S+kept, which belongs to user 0:0\./,
    );
    expect([location, debug].map((path) => ownerOf(path ?? ''))).toEqual([0, 0]);
  });

  it('names both users if it may not read the settings file', async () => {
    const image = layOutImage();
    const file = join(image.data, 'tanzanite.json');
    writeFileSync(file, '{"tablePort":0}', { mode: 0o600 });
    const container = image.run([]);
    expect(await container.ended).toBe(2);
    expect(container.stderr).toMatch(
      /^tanzanite: user 1000:1000 may not read \S*tanzanite\.json, which belongs to user 0:0\./,
    );
  });

  it('becomes the owner of the folder', async () => {
    const image = layOutImage();
    chownSync(image.data, 1234, 1235);
    const container = image.run(anyPort);
    await container.printed(ready);
    expect(statusOf(container)).toMatchObject({ Uid: '1234\t1234\t1234\t1234', Gid: '1235\t1235\t1235\t1235' });
    expect(ownerOf(image.data)).toBe(1234);
  });

  it('keeps no group of root, even if it owns the folder', async () => {
    const image = layOutImage();
    chownSync(image.data, 1234, 0);
    const container = image.run(anyPort);
    await container.printed(ready);
    const { Uid, Gid, Groups } = statusOf(container);
    expect({ Uid, Gid, Groups: Groups?.trim() }).toEqual({
      Uid: '1234\t1234\t1234\t1234',
      Gid: '1000\t1000\t1000\t1000',
      Groups: '1000',
    });
  });

  it('serves HTTPS with a key that only root may read, and leaves it unchanged', async () => {
    const image = layOutImage();
    const certificate = writeCertificate(image);
    const container = image.run([...anyPort, ...certificate]);
    await container.printed(/listening at https:/);
    expect(statusOf(container)['Uid']).toBe('1000\t1000\t1000\t1000');
    const key = certificate.at(-1) ?? '';
    expect(statSync(key)).toMatchObject({ uid: 0, mode: 0o100600 });
    expectOneCopy(key);
  });

  // The capabilities that docs/containers.md names.
  it('reads such a key with few capabilities too', async () => {
    const image = layOutImage();
    const certificate = writeCertificate(image);
    const container = image.run([...anyPort, ...certificate], { through: fewCapabilities });
    await container.printed(/listening at https:/);
    expect(statusOf(container)['Uid']).toBe('1000\t1000\t1000\t1000');
    expectOneCopy(certificate.at(-1) ?? '');
  });

  it('makes no copy of the key if it may not give it to the user', async () => {
    const image = layOutImage();
    chownSync(image.data, 1000, 1000);
    const certificate = writeCertificate(image);
    const through = ['setpriv', '--inh-caps=-all', '--bounding-set=-all,+setuid,+setgid'];
    const container = image.run([...anyPort, ...certificate], { through });
    expect(await container.ended).toBe(2);
    expect(container.stderr).toMatch(/^tanzanite: user 1000:1000 may not read \S*key\.pem/);
    expect(copiesOf(certificate.at(-1) ?? '')).toEqual([]);
  });

  it('gives Azurite a key that only root may read too', async () => {
    const image = layOutImage(fakeAzurite);
    const certificate = writeCertificate(image);
    const ports = ['--blobPort', '0', '--queuePort', '0', ...anyPort];
    const container = image.run([...ports, ...certificate]);
    const [, port] = await container.printed(/Blob service is successfully listening at http:\/\/0\.0\.0\.0:(\d+)/);
    const words = (await (await fetch(`http://127.0.0.1:${port}`)).json()) as string[];
    const key = words[words.indexOf('--key') + 1] ?? '';
    expect(statSync(key)).toMatchObject({ uid: 1000, mode: 0o100400 });
    await container.printed(/Table service is successfully listening at https:/);
    expectOneCopy(certificate.at(-1) ?? '');
  });

  it('writes its log file if root made the folder', async () => {
    const image = layOutImage();
    const container = image.run([...anyPort, '--debug', join(image.data, 'debug.log')]);
    await container.printed(ready);
    expect(ownerOf(join(image.data, 'debug.log'))).toBe(1000);
  });
});

describe.skipIf(lack.length > 0)('started as root without capabilities, the image', () => {
  it('stays root, says what would be better, and accepts requests', async () => {
    const container = layOutImage().run(anyPort, { through: withoutCapabilities });
    await container.printed(ready);
    expect(statusOf(container)).toMatchObject({ Uid: '0\t0\t0\t0', CapEff: '0000000000000000' });
    expect(container.stderr).toMatch(/^tanzanite: this container may not change its user .*--user 1000:1000.*\n$/);
  });

  it('names both users if the folder belongs to another user', async () => {
    const image = layOutImage();
    chownSync(image.data, 1234, 1234);
    const container = image.run(anyPort, { through: withoutCapabilities });
    expect(await container.ended).toBe(2);
    expect(container.stderr).toMatch(
      /\ntanzanite: user 0:0 may not write to \S+, which belongs to user 1234:1234\. .*\n$/,
    );
  });
});

describe.skipIf(lack.length > 0)('started as another user, the image', () => {
  it('stays that user', async () => {
    const image = layOutImage();
    chownSync(image.data, 4321, 4321);
    const container = image.run(anyPort, { through: asUser(4321) });
    await container.printed(ready);
    expect(statusOf(container)['Uid']).toBe('4321\t4321\t4321\t4321');
    expect(readdirSync(image.data).map((file) => ownerOf(join(image.data, file)))).toEqual(
      expect.arrayContaining([4321]),
    );
  });

  it('starts without HOME, and without an entry in the password file', async () => {
    const image = layOutImage();
    chownSync(image.data, 54_321, 54_321);
    const nowhere = ['env', '-u', 'HOME', '-u', 'XDG_CACHE_HOME'];
    const container = image.run(anyPort, { through: [...asUser(54_321), ...nowhere] });
    await container.printed(ready);
    expect([await container.end(), container.stderr]).toEqual([0, '']);
  });

  it.each([
    ['a folder', []],
    ['a file in it', ['tanzanite.lock']],
  ])('names both users if it may not write to %s', async (_, files) => {
    const image = layOutImage();
    for (const file of files) writeFileSync(join(image.data, file), '');
    if (files.length > 0) chownSync(image.data, 4321, 4321);
    const container = image.run(anyPort, { through: asUser(4321) });
    expect(await container.ended).toBe(2);
    const path = join(image.data, ...files);
    expect(container.stderr).toBe(
      `tanzanite: user 4321:4321 may not write to ${path}, which belongs to user 0:0. ` +
        `Give it to the user (chown 4321:4321 ${path}), or start the container with --user 0:0.\n`,
    );
  });

  it.skipIf(spawnSync(unshareCommand, ['-m', 'true']).status !== 0)(
    'uses the address of its settings if the first process of the container cannot be seen',
    async () => {
      const hidden = ['unshare', '-m', 'sh', '-c', 'mount -t tmpfs none /proc/1 && exec "$0" "$@"', ...asUser(4321)];
      const image = layOutImage();
      const container = image.run(['health'], { through: hidden, env: { TANZANITE_TABLE_PORT: '1' } });
      expect(await container.ended).toBe(1);
      expect(container.stderr).toMatch(/^tanzanite: [^\n]*http:\/\/127\.0\.0\.1:1\b[^\n]*\n$/);
    },
  );

  it('names both users if it may not read the key', async () => {
    const image = layOutImage();
    chownSync(image.data, 4321, 4321);
    const container = image.run([...anyPort, ...writeCertificate(image)], { through: asUser(4321) });
    expect(await container.ended).toBe(2);
    expect(container.stderr).toMatch(
      /^tanzanite: user 4321:4321 may not read \S+key\.pem, which belongs to user 0:0\./,
    );
  });
});
