// Writes data of a release into the packages for other languages: its archives, and the names that depend on the repository.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The table of archives in each package, and in the GitHub Action. */
const tables = [
  'scripts/action/releases.json',
  'packages/go/releases.json',
  'packages/java/src/main/resources/tanzanite/releases.json',
  'packages/python/src/tanzanite_emulator/releases.json',
];
const archive = /^([0-9a-f]{64}) {2}(tanzanite-([a-z]+-[a-z0-9]+)\.(?:tar\.gz|zip))$/gm;

/** `sums`: the text of SHA256SUMS. Throws a sentence if it names no archive. Idempotent. */
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

/** A module is fetched from the repository by its path; its tag is packages/go/v<version>. */
function nameGoModule(root, path) {
  edit(root, 'packages/go/go.mod', (text) => text.replace(/^module .*$/m, `module ${path}`));
  edit(root, 'packages/go/example_test.go', (text) =>
    text.replace(/^\t"(?:\S+\/packages\/go|tanzanite)"$/m, `\t"${path}"`),
  );
}

/** On Maven Central, io.github.<owner> belongs to the owner. */
function nameMavenGroup(root, repository) {
  const owner = new URL(repository).pathname.split('/')[1].toLowerCase();
  edit(root, 'packages/java/pom.xml', (text) =>
    text
      .replace(/^ {2}<groupId>.*<\/groupId>$/m, `  <groupId>io.github.${owner}</groupId>`)
      .replace(/\n {2}<url>[\s\S]*?<\/developers>/, '')
      .replace(/^ {2}<\/licenses>$/m, `$&\n${aboutProject(repository)}`),
  );
}

/** What Maven Central requires of each package. */
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
