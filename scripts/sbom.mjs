// Writes the bill of materials of the package, in the CycloneDX format. The bill lists every package with code in the
// bundle, and the SQLite driver, which npm installs separately. The bill contains no time and no serial number, so that
// builds of the same sources are identical.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPackages, purlOf, readPackage } from './bundled-packages.mjs';
import { lockedDriver } from './fit-driver.mjs';

/** `from 'fastify'`, `import('@scope/name/part')` */
const imported = /(?:from |import\()'((?:@[^/']+\/)?[^./'][^/']*)/g;

/**
 * Returns the text of the bill. `manifest` is package.json. `modules` are the files with code in the bundle, and
 * `packages` are the packages of these files. For dependencies that are not in the bundle, the function reads
 * node_modules of `root`.
 */
export function renderBillOfMaterials({ root, manifest, modules, packages }) {
  const product = { type: 'application', ...identity(manifest.name, manifest.version), ...licence(manifest.license) };
  const outside = Object.entries(manifest.dependencies).map(([name, range]) => ({
    ...readPackage(name === 'better-sqlite3' ? lockedDriver(root) : join(root, 'node_modules', name)),
    needs: [],
    range,
  }));
  const all = [...packages, ...outside];
  const listed = new Set(all.map(({ purl }) => purl));
  const link = (ref, needs) => ({ ref, dependsOn: [...new Set(needs)].filter((purl) => listed.has(purl)).sort() });
  const ownText = modules
    .filter((file) => file.startsWith(join(root, 'src')))
    .map((file) => readFileSync(file, 'utf8'));
  const direct = ownText.flatMap((text) => [...text.matchAll(imported)].map(([, name]) => name));
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { lifecycles: [{ phase: 'build' }], component: product },
    components: all.map(componentOf),
    dependencies: [
      link(product.purl, findPackages([...new Set(direct)], join(root, 'src'))),
      ...all.map(({ purl, needs }) => link(purl, needs)),
    ],
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

function componentOf({ folder, name, version, license, range }) {
  const component = { type: 'library', ...identity(name, version), ...licence(license) };
  if (range === undefined) return component;
  // npm chooses the driver's version when it installs. The bill names the version in the lock file.
  return {
    ...component,
    properties: [{ name: 'tanzanite:version-range', value: range }],
    ...(name === 'better-sqlite3' ? { components: sqliteIn(folder) } : {}),
  };
}

function identity(fullName, version) {
  const purl = purlOf(fullName, version);
  const [name, group] = fullName.split('/').reverse();
  return { 'bom-ref': purl, ...(group ? { group } : {}), name, version, purl };
}

/** An SPDX identifier, or an expression that combines several. */
function licence(text) {
  return { licenses: [/[ (]/.test(text) ? { expression: text } : { license: { id: text } }] };
}

/** SQLite itself, which the driver contains in compiled form. */
function sqliteIn(folder) {
  const header = join(folder, 'deps/sqlite3/sqlite3.h');
  if (!existsSync(header)) return [];
  const [, version] = /#define SQLITE_VERSION\s+"([^"]+)"/.exec(readFileSync(header, 'utf8'));
  const purl = `pkg:generic/sqlite@${version}`;
  return [{ type: 'library', 'bom-ref': purl, name: 'sqlite', version, purl, ...licence('blessing') }];
}
