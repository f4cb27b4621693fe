// Installs the SQLite driver that fits the running version of Node, in node_modules of a clone:
//   npm run prepare
// `npm ci` runs this script too. The lock file has better-sqlite3 13, which includes its addons and needs Node-API 10
// (Node 22.14). For an older Node, this script replaces version 13 with the release that node-20-driver names, and npm
// downloads or compiles that release. The script keeps version 13 in another folder, so that a change back to a newer
// Node needs no download. Users of the package never run this script: for them, npm chooses the release by `engines`.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const ownRoot = fileURLToPath(new URL('..', import.meta.url));
const nodeApi = Number(process.versions.napi);

/** Variables by which npm tells the script that it runs where and how to install. */
const ofOuterInstall = new RegExp(
  `^npm_config_(${[
    'dry_run|ignore_scripts|foreground_scripts|global|location|prefix|local_prefix|package_lock|package_lock_only',
    'omit|include|only|production|dev|optional|workspaces?|include_workspace_root|install_strategy|install_links|engine_strict',
  ].join('|')})$`,
  'i',
);

/** The entry of `npm run prepare`. */
export function prepare() {
  try {
    fitDriver();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}

/** Whether the driver in `root` is a release for this Node, and can be loaded. */
export function driverFits({ root = ownRoot, napi = nodeApi } = {}) {
  return fits(placesOf(root).used, napi);
}

/**
 * Returns the folder that contains the driver release of the lock file. The bill of materials names this release, even
 * if an older Node uses another release.
 */
export function lockedDriver(root) {
  const { used, shelves } = placesOf(root);
  return majorIn(used) < 13 && existsSync(shelves.locked) ? shelves.locked : used;
}

/** Throws if the driver cannot be installed. Then nothing has changed. */
export function fitDriver({ root = ownRoot, napi = nodeApi, env = process.env } = {}) {
  const { used, shelves, staged } = placesOf(root);
  // Without a driver nothing is installed, for example after `npm install --package-lock-only` or a dry run.
  if (![used, ...Object.values(shelves)].some(existsSync)) return;
  if (isTrue(env['npm_config_dry_run']) || isTrue(env['npm_config_package_lock_only'])) return;
  if (fits(used, napi)) return;
  const needed = napi < 10 ? shelves.older : shelves.locked;
  if (!fits(needed, napi)) {
    if (needed === shelves.locked)
      throw new Error(`better-sqlite3 ${versionIn(used)} is for an older Node. Run: npm ci`);
    installOlder({ staged, napi, outer: env });
    replace(join(staged, 'node_modules/better-sqlite3'), needed);
    rmSync(staged, { recursive: true });
  }
  // If the script is interrupted here, both drivers are kept aside, and the next run installs one of them.
  const other = majorIn(used) < 13 ? shelves.older : shelves.locked;
  if (other === needed) rmSync(used, { recursive: true, force: true });
  else if (existsSync(used)) replace(used, other);
  renameSync(needed, used);
}

/** npm ignores names that begin with a dot. `npm ci` removes these folders together with node_modules. */
function placesOf(root) {
  const place = (name) => join(root, 'node_modules', name);
  const shelves = { older: place('.better-sqlite3-older'), locked: place('.better-sqlite3-locked') };
  return { used: place('better-sqlite3'), shelves, staged: place('.better-sqlite3-staged') };
}

const isTrue = (value) => value === 'true' || value === '1';

function versionIn(driver) {
  const file = join(driver, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined;
}

const majorIn = (driver) => Number.parseInt(versionIn(driver), 10);

function fits(driver, napi) {
  return napi < 10 ? majorIn(driver) < 13 && opens(driver) : majorIn(driver) >= 13;
}

/** Loads the driver in another process, which then ends: Windows cannot move a file that a process has loaded. */
function opens(driver) {
  const code = 'new (require(process.argv[1]))(":memory:").close()';
  return spawnSync(process.execPath, ['-e', code, driver], { stdio: 'ignore' }).status === 0;
}

function replace(from, to) {
  rmSync(to, { recursive: true, force: true });
  renameSync(from, to);
}

/**
 * Installs the older driver into a separate folder, so that a failed install does not change the clone. npm uses the
 * lock file of `node-20-driver`.
 */
function installOlder({ staged, napi, outer }) {
  rmSync(staged, { recursive: true, force: true });
  mkdirSync(staged);
  for (const name of ['package.json', 'package-lock.json'])
    cpSync(join(here, 'node-20-driver', name), join(staged, name));
  const env = Object.fromEntries(Object.entries(outer).filter(([name]) => !ofOuterInstall.test(name)));
  const args = ['ci', '--ignore-scripts=false', '--no-audit', '--no-fund'];
  const options = { cwd: staged, env, stdio: 'inherit' };
  const npm = outer['npm_execpath'] ?? '';
  const { status } = npm.endsWith('npm-cli.js')
    ? spawnSync(process.execPath, [npm, ...args], options)
    : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
  if (status !== 0 || !fits(join(staged, 'node_modules/better-sqlite3'), napi))
    throw new Error(
      `npm cannot install the SQLite driver that Node ${process.versions.node} needs (scripts/node-20-driver)`,
    );
}
