import { spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ForeignPlace } from '../../../src/cli/trusted-path.ts';
import { wordsOf } from '../../../src/executable/called-as.ts';
import { markAsUsed, markOf } from '../../../src/executable/in-use.ts';
import { removeOtherVersions } from '../../../src/executable/other-versions.ts';
import { DamagedPack, folderNameOf } from '../../../src/executable/pack.ts';
import { findInstalled, NoPlace, unpackSomewhere } from '../../../src/executable/places.ts';
import { unpackInto } from '../../../src/executable/unpack.ts';
import { newPlace, packOf, visible } from './packs.ts';

// Each call that marks a folder adds a listener for the end of the process.
process.setMaxListeners(50);

const isRoot = process.geteuid?.() === 0;

const pack = packOf({
  'dist/cli.js': 'run()',
  'dist/deep/er.js': 'x'.repeat(1_000),
  'node_modules/driver/index.js': 'drive()',
  'package.json': '{}',
});

describe('the package in an executable', () => {
  it('is unpacked once, into a folder that only the user can enter', () => {
    const place = newPlace();
    const folder = unpackInto(place, pack);
    expect(readFileSync(join(folder, 'dist/deep/er.js'), 'utf8')).toHaveLength(1_000);
    expect(statSync(place).mode & 0o777).toBe(0o700);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const again = unpackInto(place, { ...pack, contents: () => expect.fail('it is unpacked a second time') });
    expect(again).toBe(folder);
    expect(visible(place)).toEqual([folderNameOf(pack)]);
  });

  it.each([
    ['altered', (file: string) => writeFileSync(file, 'RUN()')],
    ['cut short', (file: string) => writeFileSync(file, 'run')],
    ['gone', (file: string) => rmSync(file)],
    [
      'a folder',
      (file: string) => {
        rmSync(file);
        mkdirSync(file);
      },
    ],
    [
      'a link to the same text',
      (file: string) => {
        rmSync(file);
        writeFileSync(`${file}.other`, 'run()');
        symlinkSync(`${file}.other`, file);
      },
    ],
  ])('is unpacked again if one of its files is %s', (_, harm) => {
    const place = newPlace();
    harm(join(unpackInto(place, pack), 'dist/cli.js'));
    const folder = unpackInto(place, pack);
    expect(readFileSync(join(folder, 'dist/cli.js'), 'utf8')).toBe('run()');
    expect(visible(place)).toEqual([folderNameOf(pack)]);
  });

  it.each(['file', 'dangling link', 'link to a folder'])('replaces a %s with the name of its folder', (kind) => {
    const place = newPlace();
    mkdirSync(place, { mode: 0o700 });
    const target = join(place, '..', 'target');
    if (kind === 'link to a folder') mkdirSync(target);
    const name = join(place, folderNameOf(pack));
    if (kind === 'file') writeFileSync(name, '');
    else symlinkSync(target, name);
    expect(readFileSync(join(unpackInto(place, pack), 'dist/cli.js'), 'utf8')).toBe('run()');
    expect(existsSync(join(target, 'dist'))).toBe(false);
  });

  it('refuses a place that is a link, or that others can write to', () => {
    const place = newPlace();
    mkdirSync(join(place, 'real'), { recursive: true });
    symlinkSync(join(place, 'real'), join(place, 'link'));
    expect(() => unpackInto(join(place, 'link'), pack)).toThrow(ForeignPlace);
    mkdirSync(join(place, 'open'));
    chmodSync(join(place, 'open'), 0o777);
    expect(() => unpackInto(join(place, 'open'), pack)).toThrow('can be changed by other users');
    expect(readdirSync(join(place, 'real'))).toEqual([]);
    expect(readdirSync(join(place, 'open'))).toEqual([]);
  });

  it.skipIf(!isRoot)("refuses another user's place", () => {
    const place = newPlace();
    mkdirSync(place, { mode: 0o700 });
    chownSync(place, 65_534, 65_534);
    expect(() => unpackInto(place, pack)).toThrow('belongs to another user');
  });

  it('is not run if the executable is damaged, and leaves nothing', () => {
    const place = newPlace();
    expect(() => unpackInto(place, { ...pack, contents: () => Buffer.from('altered') })).toThrow(DamagedPack);
    expect(visible(place)).toEqual([]);
  });

  it('is put into the folder for temporary files if the cache cannot be used; one line says if neither can', () => {
    const place = newPlace();
    mkdirSync(place);
    writeFileSync(join(place, 'file'), '');
    const before = process.env['TMPDIR'];
    onTestFinished(() => {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    });
    process.env['TMPDIR'] = place;
    const environment = { XDG_CACHE_HOME: join(place, 'file') };
    expect(unpackSomewhere(pack, environment).place.startsWith(place)).toBe(true);
    process.env['TMPDIR'] = join(place, 'file');
    expect(() => unpackSomewhere(pack, environment)).toThrow(NoPlace);
    expect(() => unpackSomewhere(pack, environment)).toThrow(/^there is no folder to unpack .* with 20 MB free\.$/);
  });
});

describe('versions that were unpacked', () => {
  const older = packOf({ 'dist/cli.js': 'old()' }, '0.9.0');

  it('are removed if no process runs from them', () => {
    const place = newPlace();
    unpackInto(place, older);
    // Simulates the end of a process: the mark that is removed belongs to this process.
    rmSync(join(place, '.in-use', markOf(folderNameOf(older), process.pid)));
    writeFileSync(join(place, '.in-use', markOf(folderNameOf(older), 4_194_305)), '');
    const folder = unpackInto(place, pack);
    removeOtherVersions({ folder, place }, Date.now());
    expect(visible(place)).toEqual([folderNameOf(pack)]);
  });

  it('are kept while a process runs from them', () => {
    const place = newPlace();
    unpackInto(place, older);
    markAsUsed(place, folderNameOf(older));
    const folder = unpackInto(place, pack);
    removeOtherVersions({ folder, place }, Date.now());
    expect(visible(place).sort()).toEqual([folderNameOf(older), folderNameOf(pack)]);
  });

  it('leave nothing of a start that was killed more than an hour ago', () => {
    const place = newPlace();
    const folder = unpackInto(place, pack);
    mkdirSync(join(place, '.unpacking-abcdef'));
    removeOtherVersions({ folder, place }, Date.now());
    expect(visible(place)).toContain('.unpacking-abcdef');
    utimesSync(join(place, '.unpacking-abcdef'), 0, 0);
    removeOtherVersions({ folder, place }, Date.now());
    expect(visible(place)).toEqual([folderNameOf(pack)]);
  });

  it('survive ten starts of two versions at the same time', { timeout: 300_000 }, async () => {
    const place = newPlace();
    const program = join(place, '..', 'race.mjs');
    const build = await rolldown({ input: fileURLToPath(new URL('race.ts', import.meta.url)), platform: 'node' });
    await build.write({ file: program, format: 'esm' });
    await build.close();
    const runs = Array.from({ length: 10 }, async (_, at) => {
      const child = spawn(process.execPath, [program, place, String(at % 2)]);
      let said = '';
      child.stdout.on('data', (text) => (said += text));
      child.stderr.on('data', (text) => (said += text));
      await new Promise((resolve) => child.on('close', resolve));
      return said;
    });
    expect(new Set(await Promise.all(runs))).toEqual(new Set(['whole\n']));
  });
});

describe('the package that is installed next to an executable', () => {
  const program = (place: string): string => join(place, 'tanzanite');
  function install(): { readonly place: string; readonly folder: string } {
    const place = newPlace();
    const folder = join(place, 'tanzanite-unpacked');
    mkdirSync(join(folder, 'dist/deep'), { recursive: true });
    writeFileSync(join(folder, 'dist/cli.js'), 'run()');
    writeFileSync(join(folder, 'dist/deep/er.js'), 'x'.repeat(1_000));
    mkdirSync(join(folder, 'node_modules/driver'), { recursive: true });
    writeFileSync(join(folder, 'node_modules/driver/index.js'), 'drive()');
    writeFileSync(join(folder, 'package.json'), '{}');
    return { place, folder };
  }

  it('is used directly, without a mark and without being unpacked', () => {
    const { place, folder } = install();
    const sealed = { ...pack, contents: () => expect.fail('it is unpacked') };
    expect(findInstalled(sealed, program(place))).toBe(folder);
    expect(readdirSync(place)).toEqual(['tanzanite-unpacked']);
  });

  it('is not used if it does not exist', () => {
    expect(findInstalled(pack, program(newPlace()))).toBeUndefined();
  });

  it.each<[string, (folder: string) => void]>([
    ['a file is altered', (folder) => writeFileSync(join(folder, 'dist/cli.js'), 'RUN()')],
    ['a file is missing', (folder) => rmSync(join(folder, 'package.json'))],
    ['others can write to it', (folder) => chmodSync(folder, 0o775)],
    [
      'others can write to a folder in it that contains only folders',
      (folder) => chmodSync(join(folder, 'node_modules'), 0o777),
    ],
    [
      'it is a link',
      (folder) => {
        renameSync(folder, `${folder}.other`);
        symlinkSync(`${folder}.other`, folder);
      },
    ],
  ])('is neither used nor changed if %s', (_, harm) => {
    const { place, folder } = install();
    harm(folder);
    const before = readdirSync(folder, { recursive: true });
    expect(findInstalled(pack, program(place))).toBeUndefined();
    expect(readdirSync(folder, { recursive: true })).toEqual(before);
  });

  it.skipIf(!isRoot)('may belong to root or the user, but not to another user', () => {
    const { place, folder } = install();
    const asUser = (uid: number): string | undefined => {
      process.seteuid?.(uid);
      try {
        return findInstalled(pack, program(place));
      } finally {
        process.seteuid?.(0);
      }
    };
    chmodSync(join(place, '..'), 0o755);
    expect(asUser(1_000)).toBe(folder);
    chownSync(folder, 65_534, 65_534);
    expect(asUser(65_534)).toBe(folder);
    expect(asUser(1_000)).toBeUndefined();
    expect(asUser(0)).toBeUndefined();
  });
});

describe('the name by which the executable is called', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['/usr/local/bin/azurite', ['azurite', '--silent']],
    ['azurite-table', ['start', '--silent']],
    ['./tanzanite-linux-x64', ['--silent']],
    ['/opt/tanzanite', ['--silent']],
    ['azurite-blob', ['azurite-blob', '--silent']],
    ['azurite-queue', ['azurite-queue', '--silent']],
    ...(process.platform === 'win32' ? [['C:\\bin\\AZURITE.EXE', ['azurite', '--silent']] as const] : []),
  ];
  it.each(cases)('%s', (path, words) => {
    expect(wordsOf(path, ['--silent'])).toEqual(words);
  });
});
