// The files attached to a release: the executables as archives, and what is made from them.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tarGz, zip } from './archives.mjs';
import { homebrewFormula, scoopManifest } from './manifests.mjs';

/** The archive of each platform. The names have no version, so that links to the latest release stay the same. */
const archives = {
  'linux-x64': 'tanzanite-linux-x64.tar.gz',
  'linux-arm64': 'tanzanite-linux-arm64.tar.gz',
  'darwin-x64': 'tanzanite-darwin-x64.tar.gz',
  'darwin-arm64': 'tanzanite-darwin-arm64.tar.gz',
  'win-x64': 'tanzanite-win-x64.zip',
};

/** Further files of the clone that are attached. They exist after a build. */
const others = ['dist/sbom.cdx.json', 'openapi/tanzanite.schema.json'];

/**
 * Returns the contents of the release's files by name. `executables` is the folder that `npm run executable` writes to.
 * `missing` lists the platforms without an executable. If any executable is missing, the manifests are left out,
 * because they name all platforms.
 */
export function makeFiles({ root, executables, version, repository }) {
  const files = {};
  const missing = [];
  for (const [platform, archive] of Object.entries(archives)) {
    const suffix = platform.startsWith('win') ? '.exe' : '';
    const path = join(executables, `tanzanite-${platform}${suffix}`);
    if (existsSync(path)) files[archive] = pack(archive, `tanzanite${suffix}`, path, join(root, 'LICENSE'));
    else missing.push(platform);
  }
  const sha256 = Object.fromEntries(Object.entries(files).map(([name, contents]) => [name, digest(contents)]));
  if (missing.length === 0) Object.assign(files, manifestsOf({ root, version, repository, sha256 }));
  for (const path of others.filter((one) => existsSync(join(root, one)))) {
    files[path.slice(path.lastIndexOf('/') + 1)] = readFileSync(join(root, path));
  }
  const sums = Object.entries(files).map(([name, contents]) => `${digest(contents)}  ${name}\n`);
  files['SHA256SUMS'] = Buffer.from(sums.join(''));
  return { files, missing };
}

/** Writes the files into a new or empty folder. */
export function writeFiles(folder, files) {
  mkdirSync(folder, { recursive: true });
  for (const [name, contents] of Object.entries(files)) writeFileSync(join(folder, name), contents, { flag: 'wx' });
}

export const digest = (contents) => createHash('sha256').update(contents).digest('hex');

function pack(archive, name, path, licence) {
  const contents = readFileSync(path);
  const files = [
    { name: 'LICENSE', contents: readFileSync(licence), isProgram: false },
    { name, contents, isProgram: true },
  ];
  return archive.endsWith('.zip') ? zip(files) : tarGz(files);
}

function manifestsOf({ root, version, repository, sha256 }) {
  const { description, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const address = (name) => `${repository}/releases/download/v${version}/${name}`;
  const release = { version, description, licence: license, repository, address, sha256 };
  return {
    'tanzanite.rb': Buffer.from(homebrewFormula(release)),
    'tanzanite.json': Buffer.from(scoopManifest(release)),
  };
}
