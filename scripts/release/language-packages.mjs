// Writes the data of a release into the packages for other languages: a table of the release's archives, and names such
// as the path of the Go module. These names depend on the address of the repository.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files with the table of archives, in each package and in the GitHub Action. */
const tables = [
  'scripts/action/releases.json',
  'packages/go/releases.json',
  'packages/java/src/main/resources/tanzanite/releases.json',
  'packages/python/src/tanzanite_emulator/releases.json',
];
const archive = /^([0-9a-f]{64}) {2}(tanzanite-([a-z]+-[a-z0-9]+)\.(?:tar\.gz|zip))$/gm;

/** `sums` is the text of SHA256SUMS. Throws if it names no archive. May be called again. */
export function prepareLanguagePackages(root, { version, repository, sums }) {
  const files = Object.fromEntries(
    [...sums.matchAll(archive)].map(([, sha256, name, platform]) => [platform, { name, sha256 }]),
  );
  if (Object.keys(files).length === 0) throw new Error('SHA256SUMS names no archive of an executable');
  const table = { version, url: `${repository}/releases/download/v${version}`, files };
  for (const path of tables.filter((one) => existsSync(join(root, one)))) {
    writeFileSync(join(root, path), `${JSON.stringify(table, undefined, 2)}\n`);
  }
  nameGoModule(root, `${repository.replace('https://', '')}/packages/go`);
  nameMavenGroup(root, repository);
}

/** Go fetches a module from the repository in the module's path. The module's tag is packages/go/v<version>. */
function nameGoModule(root, path) {
  edit(root, 'packages/go/go.mod', (text) => text.replace(/^module .*$/m, `module ${path}`));
  edit(root, 'packages/go/example_test.go', (text) =>
    text.replace(/^\t"(?:\S+\/packages\/go|tanzanite)"$/m, `\t"${path}"`),
  );
}

/** Maven Central gives the group io.github.<owner> to the owner of the repository. */
function nameMavenGroup(root, repository) {
  const owner = new URL(repository).pathname.split('/')[1].toLowerCase();
  edit(root, 'packages/java/pom.xml', (text) =>
    text
      .replace(/^ {2}<groupId>.*<\/groupId>$/m, `  <groupId>io.github.${owner}</groupId>`)
      .replace(/\n {2}<url>[\s\S]*?<\/developers>/, '')
      .replace(/^ {2}<\/licenses>$/m, `$&\n${aboutProject(repository)}`),
  );
}

/** The elements that Maven Central requires of each package. */
const aboutProject = (repository) => `  <url>${repository}</url>
  <scm>
    <url>${repository}</url>
    <connection>scm:git:${repository}.git</connection>
  </scm>
  <developers>
    <developer>
      <name>The Tanzanite authors</name>
    </developer>
  </developers>`;

function edit(root, path, change) {
  writeFileSync(join(root, path), change(readFileSync(join(root, path), 'utf8')));
}
