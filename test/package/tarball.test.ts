import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, normalize } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readLinks } from '../unit/repository/docs-blocks.ts';
import { root, UnpackedPackage } from './unpacked-package.ts';

const unpackedBytesMax = 10_600_000;
const tarballBytesMax = 2_450_000;

let unpacked: UnpackedPackage;
beforeAll(() => {
  unpacked = new UnpackedPackage(['vitest']);
});
afterAll(() => unpacked.remove());

const manifest = () => JSON.parse(readFileSync(unpacked.own('package.json'), 'utf8'));
const paths = (): string[] => unpacked.packed.files.map(({ path }) => path);

describe('the tarball', () => {
  it('contains exactly the bundle, its declarations, the OpenAPI documents, the docs and the examples', () => {
    const others = paths().filter((path) => !/^(dist|openapi|docs|docker|examples)\//.test(path));
    expect(others.sort()).toEqual([
      'ARCHITECTURE.md',
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'package.json',
    ]);
    expect(paths()).toEqual(
      expect.arrayContaining([
        'dist/cli.js',
        'dist/THIRD-PARTY-LICENSES.txt',
        'dist/sbom.cdx.json',
        'openapi/table-service.yaml',
      ]),
    );
    const kinds = new Set(
      paths()
        // Container files and examples in other languages have other types of files.
        .filter((path) => !/^(docker|examples\/(go|java|python))\//.test(path))
        .map((path) => /(\.d\.ts|\.[a-z]+|LICENSE)$/.exec(path)?.[1]),
    );
    expect([...kinds].sort()).toEqual([
      '.css',
      '.d.ts',
      '.html',
      '.js',
      '.json',
      '.md',
      '.svg',
      '.txt',
      '.yaml',
      'LICENSE',
    ]);
  });

  it('contains no pictures, because only the pages in the repository show them', () => {
    expect(paths().filter((path) => /^docs\/pictures\/|\.webp$/.test(path))).toEqual([]);
  });

  it('is small', () => {
    expect(unpacked.packed.unpackedSize).toBeLessThan(unpackedBytesMax);
    expect(unpacked.packed.size).toBeLessThan(tarballBytesMax);
  });

  it('contains no path of the build machine', () => {
    const telling = paths().filter((path) => {
      const text = readFileSync(unpacked.own(path), 'utf8');
      return [root.replace(/\/$/, ''), join(tmpdir(), 'tanzanite-'), 'sourceMappingURL'].some((word) =>
        text.includes(word),
      );
    });
    expect(telling).toEqual([]);
  });

  it('has the command as an executable file for Node', () => {
    const file = unpacked.own(manifest().bin.tanzanite);
    expect(readFileSync(file, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(statSync(file).mode & 0o111).toBe(0o111);
  });

  it('has pages with links that lead to files of the tarball', () => {
    const dead = paths()
      .filter((path) => path.endsWith('.md'))
      .flatMap((page) =>
        readLinks(readFileSync(unpacked.own(page), 'utf8'))
          .map((link) => normalize(join(dirname(page), link.split('#')[0] || basename(page))))
          .filter((target) => !existsSync(unpacked.own(target)))
          .map((target) => `${page}: ${target}`),
      );
    expect(dead).toEqual([]);
  });

  it('has every file that its exports name', () => {
    const targets = (value: unknown): string[] =>
      typeof value === 'string' ? [value] : Object.values(value as object).flatMap(targets);
    const { exports, typesVersions, main, types } = manifest();
    const missing = [...targets(exports), ...targets(typesVersions), main, types].filter(
      (path) => !paths().includes(path.replace('./', '')),
    );
    expect(missing).toEqual([]);
  });

  it('has the licence of every bundled package', () => {
    const text = readFileSync(unpacked.own('dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
    for (const name of ['fastify', 'pino', 'commander', 'sax', 'odata-v4-parser']) expect(text).toMatch(`${name} `);
  });

  // npm runs the script `prepare` in a clone, and in a folder that is installed as a package. In the unpacked package,
  // the script does nothing. npm never runs `prepare` for a package that is installed from the registry or from a file.
  it('depends at run time only on the SQLite driver, and has no script that an install runs', () => {
    const { dependencies, scripts } = manifest();
    expect(Object.keys(dependencies)).toEqual(['better-sqlite3']);
    const ofInstall = /^((pre|post)?install|(pre|post)?prepare)$/;
    expect(Object.keys(scripts).filter((name) => ofInstall.test(name))).toEqual(['prepare']);
    const { status, stderr } = spawnSync('npm', ['run', 'prepare'], { cwd: unpacked.own(), encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

/** A TypeScript test that uses the library. */
const user = `
import { type CapacityReport, type Emulator, type EmulatorAccount, freshAccount, type Snapshot, startEmulator, StoreUnavailable } from 'tanzanite';
import { restoreBeforeEach, useEmulator } from 'tanzanite/vitest';
import { useEmulator as useOfJest } from 'tanzanite/jest';
import { useEmulator as useOfNode, type TestEmulator } from 'tanzanite/node-test';

export async function use(): Promise<void> {
  await using emulator: Emulator = await startEmulator({ accounts: 'any', throttle: 'enforce', capacity: { scale: 2 } });
  const account: EmulatorAccount = emulator.account();
  await emulator.reset({ account: account.name });
  const saved: Snapshot = await emulator.snapshot('base', { account: account.name });
  restoreBeforeEach(emulator, saved.name);
  const report: CapacityReport = emulator.capacity();
  const units: number | undefined = report.accounts[0]?.units;
  // @ts-expect-error: options are typed.
  await startEmulator({ durability: 'forever' });
  console.log(units, StoreUnavailable.name, freshAccount(emulator.connectionString).url);
}
export const all: TestEmulator[] = [useEmulator(), useOfJest(), useOfNode({ port: 0 })];
`;

describe('its declarations', () => {
  const compilers = { 'TypeScript 6': 'typescript/bin/tsc6', 'TypeScript 7': '@typescript/native/bin/tsc' };
  const programs = [
    ['ES modules of Node', 'node16', 'node16', 'user.mts'],
    ['CommonJS modules of Node', 'node16', 'node16', 'user.cts'],
    ['the newest of Node', 'nodenext', 'nodenext', 'user.mts'],
    ['bundlers', 'preserve', 'bundler', 'user.ts'],
  ];
  // TypeScript 7 no longer has node10, but many test runners still use it.
  const beforeExports = ['CommonJS as it was before exports', 'commonjs', 'node10', 'user.ts'];

  describe.each(Object.entries(compilers))('compile with %s', (name, compiler) => {
    it.each(name === 'TypeScript 6' ? [...programs, beforeExports] : programs)(
      'for %s, without the types of any other package',
      (_, module = '', moduleResolution = '', file = '') => {
        writeFileSync(
          join(unpacked.folder, file),
          `declare const console: { log(...values: unknown[]): void };\n${user}`,
        );
        const args = [
          ...(moduleResolution === 'node10' ? ['--ignoreDeprecations', '6.0'] : []),
          ...['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022', '--skipLibCheck', 'false'],
          ...['--module', module, '--moduleResolution', moduleResolution, file],
        ];
        const { status, stdout } = spawnSync(process.execPath, [join(root, 'node_modules', compiler), ...args], {
          cwd: unpacked.folder,
          encoding: 'utf8',
        });
        expect(stdout).toBe('');
        expect(status).toBe(0);
      },
    );
  });
});
