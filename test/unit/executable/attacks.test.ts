// The executable unpacks files. Other users attack them, the disk is full, or other machines share them.
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ensureOwnFolder, ForeignPlace, resolveTrusted } from '../../../src/cli/trusted-path.ts';
import { isUsed, markAsUsed, markOf, removeIfUnused } from '../../../src/executable/in-use.ts';
import { removeOtherVersions } from '../../../src/executable/other-versions.ts';
import { folderNameOf } from '../../../src/executable/pack.ts';
import { NoPlace, unpackSomewhere } from '../../../src/executable/places.ts';
import { unpackInto } from '../../../src/executable/unpack.ts';
import { mountSmallDisk, type SmallDisk } from '../../support/small-disk.ts';
import { newPlace, packOf, visible } from './packs.ts';

// Each call that marks a folder adds a listener for the end of the process.
process.setMaxListeners(50);

const isRoot = process.geteuid?.() === 0;
const other = 65_533;
const pack = packOf({ 'dist/cli.js': 'run()', 'dist/deep/er.js': 'x'.repeat(1_000), 'package.json': '{}' });

/** A folder with these folders inside each other. Other users cannot enter it until a test allows it. */
function newFolder(...names: readonly string[]): string {
  const folder = join(dirname(newPlace()), ...names);
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  return folder;
}

/** Makes this the folder for temporary files during a test. */
function temporaryFilesAt(folder: string): void {
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = folder;
  onTestFinished(() => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  });
}

function mounted(megabytes: number, ...options: readonly string[]): SmallDisk | undefined {
  const disk = mountSmallDisk(megabytes, 'mode=0700', ...options);
  onTestFinished(() => disk?.remove());
  return disk;
}

describe.skipIf(!isRoot)('another user', () => {
  it.each([0, 1, 2])('owns folder %i of the path: nothing is made in it', (at) => {
    const names = ['a', 'b', 'c'];
    const folder = newFolder();
    const foreign = join(folder, ...names.slice(0, at + 1));
    mkdirSync(foreign, { recursive: true });
    chownSync(foreign, other, other);
    expect(() => unpackInto(join(folder, ...names, 'place'), pack)).toThrow(`${foreign} belongs to another user`);
    expect(readdirSync(foreign)).toEqual([]);
  });

  it.each([0, 1, 2])('has made a link of folder %i of the path: nothing is made where it leads', (at) => {
    const names = ['a', 'b', 'c'];
    const [folder, target] = [newFolder(), newFolder('target')];
    const link = join(folder, ...names.slice(0, at + 1));
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(target, link);
    lchownSync(link, other, other);
    expect(() => unpackInto(join(folder, ...names, 'place'), pack)).toThrow(ForeignPlace);
    expect(readdirSync(target)).toEqual([]);
  });

  it('has made a link through which a link of the user leads', () => {
    const [folder, target] = [newFolder(), newFolder('target')];
    symlinkSync('foreign', join(folder, 'own'));
    symlinkSync(target, join(folder, 'foreign'));
    lchownSync(join(folder, 'foreign'), other, other);
    expect(() => unpackInto(join(folder, 'own', 'place'), pack)).toThrow(`${join(folder, 'foreign')} belongs to`);
    expect(readdirSync(target)).toEqual([]);
  });

  it.each([
    ['everybody', 0o777, 0],
    ['a group', 0o770, other],
  ])('could replace the folder, because %s can write to the folder above it', (_, mode, group) => {
    const folder = newFolder('open');
    chownSync(folder, 0, group);
    chmodSync(folder, mode);
    expect(() => unpackInto(join(folder, 'place'), pack)).toThrow(`${folder} can be changed by other users`);
    chmodSync(folder, 0o1777);
    expect(unpackInto(join(folder, 'place'), pack)).toBe(join(folder, 'place', folderNameOf(pack)));
  });

  it('has taken the name in the shared folder for temporary files: one line says so', () => {
    const shared = newFolder('tmp');
    chmodSync(shared, 0o1777);
    temporaryFilesAt(shared);
    const squatted = join(shared, `tanzanite-${process.geteuid?.()}`);
    mkdirSync(squatted, { mode: 0o777 });
    chownSync(squatted, other, other);
    const cache = join(newFolder(), 'file');
    writeFileSync(cache, '');
    expect(() => unpackSomewhere(pack, { XDG_CACHE_HOME: cache })).toThrow(NoPlace);
    expect(() => unpackSomewhere(pack, { XDG_CACHE_HOME: cache })).toThrow(`${squatted} belongs to another user`);
    expect(readdirSync(squatted)).toEqual([]);
    renameSync(squatted, `${squatted}.away`);
    const { place } = unpackSomewhere(pack, { XDG_CACHE_HOME: cache });
    expect(place).toBe(join(squatted, 'executable'));
  });

  it('shares a cache: each user has a folder, and does not run what the other unpacked', () => {
    const cache = newFolder('cache');
    mkdirSync(join(cache, 'tanzanite'), { mode: 0o700 });
    chownSync(join(cache, 'tanzanite'), other, other);
    temporaryFilesAt(newFolder('tmp'));
    const { place } = unpackSomewhere(pack, { XDG_CACHE_HOME: cache });
    expect(place.startsWith(join(cache, 'tanzanite'))).toBe(false);
  });
});

describe.skipIf(process.platform === 'win32')('the path to the package', () => {
  it('may lead through links of the user, but not through a loop of links', () => {
    const [folder, target] = [newFolder(), newFolder('target')];
    symlinkSync(target, join(folder, 'link'));
    expect(unpackInto(join(folder, 'link', 'place'), pack)).toBe(join(target, 'place', folderNameOf(pack)));
    symlinkSync('loop', join(folder, 'loop'));
    expect(() => resolveTrusted(join(folder, 'loop', 'place'))).toThrow('too many links');
  });

  it.runIf(process.platform === 'linux')('may not lead to a file system in which nothing can be made', () => {
    expect(() => ensureOwnFolder('/proc/new/place')).toThrow(/^ENOENT: .*'\/proc\/new'$/);
  });

  it('may begin in a folder for temporary files without a sticky bit, as containers mount it', () => {
    const folder = newFolder('tmp');
    chmodSync(folder, 0o777);
    temporaryFilesAt(folder);
    const cache = join(newFolder(), 'file');
    writeFileSync(cache, '');
    expect(unpackSomewhere(pack, { XDG_CACHE_HOME: cache }).place.startsWith(folder)).toBe(true);
  });

  it('never leads through a link inside the package, even to the same files', () => {
    const place = newPlace();
    const folder = unpackInto(place, pack);
    const elsewhere = join(place, '..', 'elsewhere');
    cpSync(join(folder, 'dist'), elsewhere, { recursive: true });
    rmSync(join(folder, 'dist'), { recursive: true });
    symlinkSync(elsewhere, join(folder, 'dist'));
    unpackInto(place, pack);
    writeFileSync(join(elsewhere, 'cli.js'), 'altered');
    expect(readFileSync(join(folder, 'dist/cli.js'), 'utf8')).toBe('run()');
  });
});

describe('a disk', () => {
  it('that becomes full while the package is unpacked keeps no part of it, and the next place is used', (context) => {
    const disk = mounted(1);
    if (disk === undefined) return context.skip();
    const large = packOf({ 'dist/cli.js': 'run()', 'dist/large.js': Buffer.alloc(2 ** 21, 'x') });
    const place = join(disk.path, 'tanzanite/executable');
    expect(() => unpackInto(place, large)).toThrow(/ENOSPC/);
    expect(visible(place)).toEqual([]);
    temporaryFilesAt(newFolder('tmp'));
    const somewhere = unpackSomewhere(large, { XDG_CACHE_HOME: disk.path });
    expect(somewhere.place.startsWith(disk.path)).toBe(false);
    temporaryFilesAt(disk.path);
    expect(() => unpackSomewhere(large, { XDG_CACHE_HOME: disk.path })).toThrow(/^there is .*no space left on device/);
    expect(readdirSync(place)).toEqual(['.in-use']);
  });

  it('that does not run programs is skipped for the next place', (context) => {
    const disk = mounted(16, 'noexec');
    if (disk === undefined) return context.skip();
    const addon = createRequire(import.meta.url)
      .resolve('better-sqlite3')
      .replace(/lib[/\\]index\.js$/, '');
    const file = ['build/Release/better_sqlite3.node', `prebuilds/${process.platform}-${process.arch}.node`]
      .map((path) => join(addon, path))
      .find(existsSync);
    const withAddon = packOf({ 'driver.node': readFileSync(file ?? 'the addon is missing') });
    temporaryFilesAt(newFolder('tmp'));
    expect(unpackSomewhere(withAddon, { XDG_CACHE_HOME: disk.path }).place.startsWith(disk.path)).toBe(false);
    temporaryFilesAt(disk.path);
    expect(() => unpackSomewhere(withAddon, { XDG_CACHE_HOME: disk.path })).toThrow('no program can be run from it');
  });

  it('that is read-only runs the files on it', (context) => {
    const disk = mounted(16);
    if (disk === undefined) return context.skip();
    const { folder } = unpackSomewhere(pack, { XDG_CACHE_HOME: disk.path });
    disk.remount('ro');
    expect(
      unpackSomewhere({ ...pack, contents: () => expect.fail('unpacked') }, { XDG_CACHE_HOME: disk.path }),
    ).toEqual({
      folder,
      place: dirname(folder),
    });
  });
});

describe('the mark of a process', () => {
  const older = packOf({ 'dist/cli.js': 'old()' }, '0.9.0');
  const name = folderNameOf(older);

  it('is removed after the process was killed', () => {
    const place = newPlace();
    const folder = unpackInto(place, pack);
    const marks = join(place, '.in-use');
    writeFileSync(join(marks, markOf(basename(folder), 4_194_305)), '');
    removeOtherVersions({ folder, place }, Date.now());
    expect(readdirSync(marks)).toEqual([markOf(basename(folder), process.pid)]);
  });

  it('of another machine, or of another container, keeps a version for a month', () => {
    const place = newPlace();
    unpackInto(place, older);
    rmSync(join(place, '.in-use', markOf(name, process.pid)));
    const mark = join(place, '.in-use', `${name}.0123abcd.1`);
    writeFileSync(mark, '');
    const folder = unpackInto(place, pack);
    removeOtherVersions({ folder, place }, Date.now());
    expect(visible(place)).toContain(name);
    utimesSync(mark, 0, 0);
    removeOtherVersions({ folder, place }, Date.now());
    expect(visible(place)).toEqual([basename(folder)]);
  });

  it('is made by a removal too, so that a start waits for its end', async () => {
    const place = newPlace();
    unpackInto(place, older);
    rmSync(join(place, '.in-use', markOf(name, process.pid)));
    const removing = join(place, '.in-use', markOf(`${name}~`, process.pid));
    let seen: readonly string[] = [];
    removeIfUnused(place, name, Date.now(), () => {
      seen = readdirSync(join(place, '.in-use'));
    });
    expect(seen).toEqual([basename(removing)]);
    expect(existsSync(removing)).toBe(false);
    writeFileSync(removing, '');
    // The removal ends when the start has marked the folder.
    const used = join(place, '.in-use', markOf(name, process.pid));
    const [begun, ended] = [used, removing].map((path) => JSON.stringify(path));
    const fs = 'const { existsSync, rmSync } = require("node:fs");';
    const ending = new Worker(`${fs} while (!existsSync(${begun})); rmSync(${ended})`, { eval: true });
    await once(ending, 'online');
    markAsUsed(place, name);
    expect(existsSync(removing)).toBe(false);
    removeIfUnused(place, name, Date.now(), () => expect.fail('it is used'));
  });

  it("of a removal that was killed, or is another machine's, stops no start", () => {
    const place = newPlace();
    unpackInto(place, older);
    const marks = [markOf(`${name}~`, 4_194_305), `${name}~.0123abcd.1`];
    for (const mark of marks) writeFileSync(join(place, '.in-use', mark), '');
    expect(basename(unpackInto(place, older))).toBe(name);
    expect(readdirSync(join(place, '.in-use'))).toEqual([markOf(name, process.pid)]);
  });

  it('counts only for its own version', () => {
    const place = newPlace();
    unpackInto(place, older);
    markAsUsed(place, name);
    expect(isUsed(place, name, Date.now())).toBe(true);
    expect(isUsed(place, name.slice(0, -1), Date.now())).toBe(false);
  });

  it('may be missing: a removal that fails does not prevent the others', () => {
    const place = newPlace();
    unpackInto(place, older);
    unpackInto(place, packOf({ a: 'a' }, '0.8.0'));
    rmSync(join(place, '.in-use'), { recursive: true });
    // This makes one removal fail, which must not prevent the others.
    mkdirSync(join(place, `.discarded-${folderNameOf(packOf({ a: 'a' }, '0.8.0'))}.${process.pid}`, 'full'), {
      recursive: true,
    });
    const folder = unpackInto(place, pack);
    removeOtherVersions({ folder, place }, Date.now());
    expect(visible(place)).not.toContain(name);
  });
});
