import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const packageFolder = /^(.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+)[/\\]/;

/** The packages that the given module files belong to, each once, sorted by name and version. */
export function packagesOf(moduleFiles) {
  const folders = new Set(moduleFiles.flatMap((file) => packageFolder.exec(file)?.[1] ?? []));
  const packages = new Map([...folders].map(readPackage).map((found) => [found.purl, found]));
  return [...packages.values()].sort((one, other) => (one.purl < other.purl ? -1 : 1));
}

/** Describes an installed package. `needs` are the package URLs of its dependencies. */
export function readPackage(folder) {
  const { name, version, license, dependencies = {} } = readManifest(folder);
  return {
    folder,
    name,
    version,
    license,
    needs: findPackages(Object.keys(dependencies), folder),
    purl: purlOf(name, version),
  };
}

/**
 * For each of these names, looks for the package that Node would load from the folder `from`. Returns the package URLs
 * of the packages found. Node searches node_modules in this folder, and then in each folder above it.
 */
export function findPackages(names, from) {
  return names.flatMap((name) => {
    const folder = findFolder(name, from);
    return folder === undefined ? [] : [purlOf(name, readManifest(folder).version)];
  });
}

/** A package URL. Evidence: documented (package-url specification, type npm: the @ of a scope is encoded). */
export function purlOf(name, version) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

function findFolder(name, from) {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(join(found, 'package.json'))) return found;
  }
  return undefined;
}
