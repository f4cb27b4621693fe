// Reads and writes the address of the repository, which only the release workflow knows. The address comes from
// GITHUB_REPOSITORY, and also from GITHUB_SERVER_URL if the server is not github.com.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folders of the packages that are published to npm. `.` is first, because the others depend on it. */
export const packageFolders = ['.', 'packages/azurite'];

const repositoryName = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})\/(?!\.{1,2}$)[\w.-]{1,100}$/;

/** The address of the repository. Throws a sentence if the environment does not name a repository. */
export function readRepository({ GITHUB_REPOSITORY: name, GITHUB_SERVER_URL: server = 'https://github.com' }) {
  if (!name) throw new Error('GITHUB_REPOSITORY is not set: it is the name of the repository, owner/name');
  if (!repositoryName.test(name)) throw new Error(`GITHUB_REPOSITORY is ${JSON.stringify(name)}, not owner/name`);
  if (!URL.canParse(server) || new URL(server).protocol !== 'https:') {
    throw new Error(`GITHUB_SERVER_URL is ${JSON.stringify(server)}, not an address with https`);
  }
  return `${new URL(server).origin}/${name}`;
}

/** The members that npm shows and uses to check the provenance. */
export function membersFor(repository, folder) {
  const directory = folder === '.' ? {} : { directory: folder };
  return {
    homepage: `${repository}#readme`,
    bugs: { url: `${repository}/issues` },
    repository: { type: 'git', url: `git+${repository}.git`, ...directory },
  };
}

/**
 * Writes the address of the repository into each package.json of the clone. Also copies the licence into each package.
 * May be called again.
 */
export function nameRepository(root, repository) {
  for (const folder of packageFolders) {
    const path = join(root, folder, 'package.json');
    const manifest = { ...JSON.parse(readFileSync(path, 'utf8')), ...membersFor(repository, folder) };
    writeFileSync(path, `${JSON.stringify(manifest, undefined, 2)}\n`);
    if (folder !== '.') copyFileSync(join(root, 'LICENSE'), join(root, folder, 'LICENSE'));
  }
}
