// Reads the version of a release, which several files contain.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolders } from './repository.mjs';

/** A version as semver.org defines it, but without build metadata, which npm removes. */
const semver =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*)?$/;

/** The version of the clone. Throws a sentence if files differ, or if the given tag belongs to another version. */
export function readVersion(root, tag) {
  const read = (path) => readFileSync(join(root, path), 'utf8');
  const { version } = JSON.parse(read('package.json'));
  if (!semver.test(version))
    throw new Error(`package.json has the version ${JSON.stringify(version)}, which is not a version`);
  for (const folder of packageFolders.filter((one) => one !== '.')) {
    const { version: own, dependencies } = JSON.parse(read(`${folder}/package.json`));
    if (own !== version) throw new Error(`${folder}/package.json has the version ${own}, not ${version}`);
    if (dependencies.tanzanite !== version) {
      throw new Error(`${folder}/package.json depends on tanzanite ${dependencies.tanzanite}, not ${version}`);
    }
  }
  for (const name of ['table-service', 'control-plane']) {
    const [, own] = /^ {2}version: (\S+)$/m.exec(read(`openapi/${name}.yaml`)) ?? [];
    if (own !== version) throw new Error(`openapi/${name}.yaml has the version ${own}, not ${version}`);
  }
  if (tag !== undefined && tag !== `v${version}`) throw new Error(`the tag is ${tag}, and package.json has ${version}`);
  return version;
}

/**
 * Whether the version is a prerelease such as 1.0.0-rc.1. A prerelease does not become `latest` on npm, for images or
 * on GitHub.
 */
export const isPrerelease = (version) => version.includes('-');
