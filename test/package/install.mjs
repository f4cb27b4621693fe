// Proves that the package can be installed in an empty folder and answers requests there. Packs the package, installs
// the tarball with a given Node and npm, and uses the command and the library, as ESM and as CommonJS. Run this script
// by hand: it downloads versions of Node and npm from the registry, and takes minutes if the SQLite addon is compiled.
//   npm run build && node test/package/install.mjs [here] [node@24+npm@12 …] [--ignore-scripts] [--examples]
// `here` means the Node and npm that run this script. Without arguments, the script uses `here` and node@24+npm@12.
// With --ignore-scripts, npm does not install the addon at first. The emulator then suggests a command, and this
// command must install the addon. With --examples, the script also installs the dependencies of each folder in
// `examples`, including Jest, and runs the tests of the examples.
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, cpSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const args = process.argv.slice(2);
const ignoresScripts = args.includes('--ignore-scripts');
const hasExamples = args.includes('--examples');
const asked = args.filter((arg) => !arg.startsWith('--'));
const work = mkdtempSync(join(tmpdir(), 'tanzanite-install-'));
const say = (line) => console.log(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${line}`);
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

try {
  const tarball = pack(root);
  say(`packed: ${megabytes(lstatSync(tarball).size)}`);
  for (const pair of asked.length > 0 ? asked : ['here', 'node@24+npm@12']) await prove(toolsOf(pair), tarball);
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Packs a folder, or a package of the registry, and returns the path of the file. */
function pack(spec) {
  const text = execFileSync('npm', ['pack', spec, '--ignore-scripts', '--json', '--pack-destination', work], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ filename }] = Object.values(JSON.parse(text));
  return join(work, filename);
}

/** Environment variables with the requested `node` and `npm` on the path. */
function toolsOf(pair) {
  const env = { ...process.env };
  if (pair !== 'here') {
    const bin = join(work, pair, 'bin');
    mkdirSync(bin, { recursive: true });
    for (const spec of pair.split('+')) {
      const [name, version] = spec.split('@');
      const folder = join(work, pair, name);
      mkdirSync(folder);
      const source = name === 'node' ? `node-${process.platform}-${process.arch}` : name;
      execFileSync('tar', ['xzf', pack(`${source}@${version}`), '-C', folder, '--strip-components=1']);
    }
    cpSync(join(work, pair, 'node/bin/node'), join(bin, 'node'));
    writeFileSync(join(bin, 'npm'), `#!/bin/sh\nexec node "${join(work, pair, 'npm/bin/npm-cli.js')}" "$@"\n`, {
      mode: 0o755,
    });
    env.PATH = `${bin}${delimiter}${env.PATH}`;
    // If an addon is compiled, it needs the headers of this version of Node.
    env.npm_package_config_node_gyp_nodedir = join(work, pair, 'node');
  }
  const run = (command, ...rest) =>
    execFileSync(command, rest, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return { env, title: `Node ${run('node', '--version').trim()}, npm ${run('npm', '--version').trim()}` };
}

async function prove({ env, title }, tarball) {
  const folder = mkdtempSync(join(work, 'empty-'));
  const run = (command, ...rest) => execFileSync(command, rest, { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' });
  say(`${title}: installs`);
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  run('npm', 'install', tarball, '--no-audit', '--no-fund', ...(ignoresScripts ? ['--ignore-scripts'] : []));
  const { version } = JSON.parse(run('node', '-p', `JSON.stringify(require('better-sqlite3/package.json'))`));
  say(`${title}: installed, ${megabytes(bytesIn(join(folder, 'node_modules')))}, with better-sqlite3 ${version}`);
  const command = join(folder, 'node_modules/.bin/tanzanite');
  if (ignoresScripts) bringAddon({ env, folder, command, title });
  copyFileSync(join(dirname(fileURLToPath(import.meta.url)), 'use.cjs'), join(folder, 'use.cjs'));
  writeFileSync(
    join(folder, 'esm.mjs'),
    `import * as it from 'tanzanite'; import { use } from './use.cjs'; console.log(await use(it));\n`,
  );
  writeFileSync(join(folder, 'cjs.cjs'), `require('./use.cjs').use(require('tanzanite')).then(console.log);\n`);
  say(`${title}: ESM answers ${run('node', 'esm.mjs').trim()}, CommonJS answers ${run('node', 'cjs.cjs').trim()}`);
  say(
    `${title}: the command ${run(command, '--version').trim()} answers ${await answerOf(command, { cwd: folder, env })}`,
  );
  if (hasExamples) runExamples({ folder, env, title, tarball });
}

/** Runs the tests of the examples as a user would, with the dependencies of each. */
function runExamples({ folder, env, title, tarball }) {
  const place = join(root, 'examples');
  const needsEngine = ['testcontainers-node'];
  const folders = readdirSync(place, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of folders.filter((entry) => !needsEngine.includes(entry.name))) {
    const cwd = join(folder, name);
    cpSync(join(place, name), cwd, { recursive: true });
    const options = { cwd, env: { ...env, NO_COLOR: '1' }, stdio: 'pipe' };
    execFileSync('npm', ['install', tarball, '--no-audit', '--no-fund'], options);
    execFileSync('npm', ['test'], options);
    say(`${title}: the example ${name} passes`);
  }
}

/** Starts without the addon, reads which command the message suggests, and runs that command. */
function bringAddon({ env, folder, command, title }) {
  let line = '';
  try {
    execFileSync(command, ['start', '--tablePort', '0', '--inMemoryPersistence'], {
      cwd: folder,
      env,
      stdio: 'pipe',
      timeout: 2_000,
    });
  } catch (error) {
    if (error.code === 'ETIMEDOUT') return say(`${title}: starts without any install script`);
    line = String(error.stderr).trim();
  }
  say(`${title}: without its addon says: ${line}`);
  const [helper = '', ...rest] = (/Run: (.*?)\. /.exec(line)?.[1] ?? '').split(' ');
  execFileSync(helper, rest, { cwd: folder, env, stdio: 'pipe' });
  say(`${title}: ${helper} ${rest.join(' ')} is done`);
}

/** Starts the command, and returns its answer to a request for its health. */
async function answerOf(command, options) {
  const server = spawn(command, ['start', '--tablePort', '0', '--inMemoryPersistence', '--silent'], options);
  try {
    let said = '';
    for await (const text of server.stdout) {
      said += text;
      const url = /listening at (http:\S+)/.exec(said)?.[1];
      if (url) return (await fetch(`${url}/_emulator/health`)).status;
    }
    throw new Error(`the command ended: ${said}`);
  } finally {
    server.kill('SIGTERM');
  }
}

function bytesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + lstatSync(join(parentPath, name)).size, 0);
}
