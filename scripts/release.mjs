// Runs the steps of the release workflow. You can try each step in a clone.
//   node scripts/release.mjs --dry-run            shows what a release would contain, and what is not ready
//   node scripts/release.mjs version [tag]        prints the version; fails if the tag or a file names another version
//   node scripts/release.mjs channel              prints the tag for npm and images: `latest`, or `next` (prerelease)
//   node scripts/release.mjs notes                prints the section of CHANGELOG.md about the version
//   node scripts/release.mjs name-repository      writes GITHUB_REPOSITORY into each package.json
//   node scripts/release.mjs files <folder>       makes the files of the release, from the executables in executables/
//   node scripts/release.mjs language-packages <folder>   writes the table of the archives in the folder, and the name
//                                                 of the repository, into the action, packages/go, java and python
// If a step fails, the script prints one line and exits with code 2.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sectionOf } from './release/changelog.mjs';
import { digest, makeFiles, writeFiles } from './release/files.mjs';
import { prepareLanguagePackages } from './release/language-packages.mjs';
import { nameRepository, packageFolders, readRepository } from './release/repository.mjs';
import { isPrerelease, readVersion } from './release/versions.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const executables = join(root, 'executables');
const steps = {
  version: printVersion,
  channel: printChannel,
  notes: printNotes,
  'name-repository': name,
  files: makeAll,
  'language-packages': prepareLanguages,
  '--dry-run': show,
};

const [step, operand] = process.argv.slice(2);
try {
  if (!Object.hasOwn(steps, step ?? '')) throw new Error(`name one of ${Object.keys(steps).join(', ')}`);
  steps[step](operand);
} catch (error) {
  console.error(`release: ${error.message}`);
  process.exitCode = 2;
}

function printVersion(tag) {
  console.log(readVersion(root, tag));
}

function printChannel() {
  console.log(isPrerelease(readVersion(root)) ? 'next' : 'latest');
}

function notes() {
  return sectionOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), readVersion(root));
}

function printNotes() {
  process.stdout.write(notes());
}

function name() {
  nameRepository(root, readRepository(process.env));
}

function makeAll(folder) {
  if (folder === undefined) throw new Error('name the folder that the files are written to');
  const given = { root, executables, version: readVersion(root), repository: readRepository(process.env) };
  const { files, missing } = makeFiles(given);
  if (missing.length > 0) throw new Error(`there is no executable for ${missing.join(', ')} in ${executables}`);
  writeFiles(folder, files);
}

function prepareLanguages(folder) {
  if (folder === undefined) throw new Error('name the folder that files wrote');
  const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8');
  prepareLanguagePackages(root, { version: readVersion(root), repository: readRepository(process.env), sums });
}

function show() {
  const version = readVersion(root);
  const unready = [];
  const attempt = (make, instead) => {
    try {
      return make();
    } catch (error) {
      unready.push(error.message);
      return instead;
    }
  };
  const repository = attempt(() => readRepository(process.env), 'https://github.com/owner/name');
  const text = attempt(notes, '');
  const { files, missing } = makeFiles({ root, executables, version, repository });
  if (missing.length > 0) unready.push(`no executable for ${missing.join(', ')}, so neither formula nor manifest`);
  console.log(`release v${version}${isPrerelease(version) ? ', a prerelease' : ''}, of ${repository}`);
  console.log(`notes: ${text.length} characters`);
  for (const folder of packageFolders) console.log(`npm: ${packed(folder)}`);
  const image = `ghcr.io/${new URL(repository).pathname.slice(1).toLowerCase()}`;
  for (const one of [image, `${image}-with-azurite`]) console.log(`image: ${one}:${version}`);
  for (const [file, contents] of Object.entries(files)) {
    console.log(`file: ${file}  ${(contents.length / 1e6).toFixed(1)} MB  ${digest(contents)}`);
  }
  for (const reason of unready) console.log(`not ready: ${reason}`);
}

/** The package as npm would publish it. */
function packed(folder) {
  const words = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const options = { cwd: join(root, folder), encoding: 'utf8', shell: process.platform === 'win32' };
  const { status, stdout, stderr } = spawnSync('npm', words, options);
  if (status !== 0) throw new Error(`npm pack of ${folder} ended with ${status}: ${stderr.trim()}`);
  const [{ id, entryCount, size }] = JSON.parse(stdout);
  return `${id}  ${entryCount} files  ${(size / 1e6).toFixed(1)} MB`;
}
