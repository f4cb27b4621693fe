import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeBundle } from '../../scripts/bundle.mjs';
import { packagesOf } from '../../scripts/bundled-packages.mjs';
import { writeConsole } from '../../scripts/console-bundle.mjs';
import { root } from './unpacked-package.ts';

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses: readonly object[];
  readonly components?: readonly Component[];
}

const bill: {
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
} = JSON.parse(readFileSync(join(root, 'dist/sbom.cdx.json'), 'utf8'));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const driver = bill.components.find(({ name }) => name === 'better-sqlite3')!;

let folder: string;
let modules: readonly string[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tanzanite-bill-'));
  modules = [
    ...(await writeBundle({ root, manifest, dir: join(folder, 'dist') })),
    ...(await writeConsole({ root, dir: join(folder, 'dist/console') })),
  ];
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The packages in a bundle that the bill of materials does not name. */
function missingFromBill(files: readonly string[]): string[] {
  const listed = bill.components.map(({ purl }) => purl);
  return packagesOf(files)
    .map(({ purl }) => purl)
    .filter((purl) => !listed.includes(purl));
}

describe('the bill of materials', () => {
  it('describes the bundle in dist, because bundling again gives the same files', () => {
    const scripts = readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.js'),
    );
    expect(scripts.length).toBeGreaterThan(10);
    for (const path of scripts) {
      expect(readFileSync(join(folder, 'dist', path)).equals(readFileSync(join(root, 'dist', path))), path).toBe(true);
    }
  });

  it('names exactly the packages with code in the bundle, and the SQLite driver', () => {
    expect(missingFromBill(modules)).toEqual([]);
    expect(bill.components.map(({ purl }) => purl)).toEqual([
      ...packagesOf(modules).map(({ purl }) => purl),
      `pkg:npm/better-sqlite3@${driver.version}`,
    ]);
    expect(bill.components.length).toBeGreaterThan(50);
  });

  it('does not name a package that was added to the bundle later', async () => {
    const planted = join(folder, 'planted');
    cpSync(join(root, 'src'), join(planted, 'src'), { recursive: true });
    cpSync(join(root, 'package.json'), join(planted, 'package.json'));
    symlinkSync(join(root, 'node_modules'), join(planted, 'node_modules'), 'junction');
    appendFileSync(join(planted, 'src/cli/main.ts'), `\nimport { parse } from 'yaml';\nconsole.log(parse('a: 1'));\n`);
    const files = await writeBundle({ root: planted, manifest, dir: join(planted, 'dist') });
    expect(missingFromBill(files)).toEqual([expect.stringMatching(/^pkg:npm\/yaml@/)]);
  });

  it('names the driver of the lock file for every Node', () => {
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
    expect(driver.version).toBe(lock.packages['node_modules/better-sqlite3'].version);
  });

  it('names the version of SQLite that the driver contains', () => {
    expect(driver.components).toEqual([
      expect.objectContaining({ name: 'sqlite', version: expect.stringMatching(/^3\./) }),
    ]);
  });

  it('has a licence for every component, and its place among the dependencies', () => {
    expect(bill.components.filter(({ licenses }) => licenses.length !== 1)).toEqual([]);
    const refs = bill.dependencies.map(({ ref }) => ref);
    expect(refs).toEqual([`pkg:npm/tanzanite@${manifest.version}`, ...bill.components.map(({ purl }) => purl)]);
    expect(bill.dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.includes(ref))).toEqual([]);
  });

  it('has neither a time nor a serial number, so that the same sources give the same package', () => {
    expect(Object.keys(bill)).not.toContain('serialNumber');
    expect(JSON.stringify(bill)).not.toMatch(/timestamp|\d{4}-\d\d-\d\dT/);
  });
});
