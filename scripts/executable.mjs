// Makes the single executable: Node with the package inside, for machines that have neither Node nor the package (see
// Node.js, Single executable applications).
//   npm run executable [-- --platform linux-x64|linux-arm64|win-x64|darwin-x64|darwin-arm64] [--out executables] [--unpacked]
// With `--unpacked`, the script also writes the files that the executable would unpack. It writes them into the folder
// tanzanite-unpacked next to the executable. If the executable is installed with these files, as in the Dockerfile, it
// writes nothing when it starts. The Node in the executable comes from the npm registry, with the version and digest in
// scripts/executable/node.json. An executable for macOS instead contains the Node that runs this script. If the script
// fails, it prints one line. The exit code is 2 for wrong arguments, and 1 if something is missing.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { fetchPackage, run } from './executable/npm-package.mjs';
import { packFiles, writeUnpacked } from './executable/pack.mjs';
import { unsign } from './executable/unsign.mjs';

/** Platform, as Node's releases call it → the same platform as better-sqlite3 calls it in the name of its addon. */
const systems = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'win-x64': 'win32-x64',
  'darwin-x64': 'darwin-x64',
  'darwin-arm64': 'darwin-arm64',
};
const host = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const cache = join(root, '.cache/executable');

const values = readFlags();
const { platform } = values;
const fault = faultOf(platform);
if (fault !== undefined) refuse(fault, 2);
try {
  await make();
} catch (error) {
  refuse(
    error.code === 'ERR_MODULE_NOT_FOUND' ? 'the packages that it needs are not installed. Run: npm ci' : error.message,
    1,
  );
}

function readFlags() {
  try {
    const { values } = parseArgs({
      options: {
        platform: { type: 'string', default: host },
        out: { type: 'string', default: 'executables' },
        unpacked: { type: 'boolean', default: false },
      },
    });
    return values;
  } catch (error) {
    return refuse(error.message, 2);
  }
}

function refuse(reason, code) {
  console.error(`executable: ${reason.replaceAll(/\s*\n\s*/g, ' ')}`);
  process.exit(code);
}

async function make() {
  const [{ inject }, { rolldown }] = await Promise.all([import('postject'), import('rolldown')]);
  run(process.execPath, [join(root, 'scripts/build-once.mjs')]);
  const staged = mkdtempSync(join(mkdir(cache), '.staged-'));
  try {
    await writeExecutable({ staged, inject, rolldown });
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

async function writeExecutable({ staged, inject, rolldown }) {
  const out = resolve(root, values.out, `tanzanite-${platform}${platform.startsWith('win') ? '.exe' : ''}`);
  const node = nodeFor(platform);
  copyFileSync(node.program, join(staged, 'program'));
  strip(join(staged, 'program'));
  if (platform.startsWith('win')) writeFileSync(join(staged, 'program'), unsign(readFileSync(join(staged, 'program'))));
  await writeBlob({ staged, rolldown, licence: node.licence });
  await inject(join(staged, 'program'), 'NODE_SEA_BLOB', readFileSync(join(staged, 'blob')), {
    sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
    ...(platform.startsWith('darwin') ? { machoSegmentName: 'NODE_SEA' } : {}),
  });
  // macOS runs only signed programs, and Node's own signature is invalid after the change.
  if (platform.startsWith('darwin')) run('codesign', ['--force', '--sign', '-', join(staged, 'program')]);
  mkdir(resolve(root, values.out));
  // A running program cannot be overwritten, but its file can be removed.
  rmSync(out, { force: true });
  copyFileSync(join(staged, 'program'), out);
  console.log(`${join(values.out, basename(out))}: ${Math.round(statSync(out).size / 1e6)} MB`);
}

function faultOf(platform) {
  if (!(platform in systems)) return `there is no platform ${platform}; ${Object.keys(systems).join(', ')} can be made`;
  if (!platform.startsWith('darwin')) return undefined;
  const { version } = read('scripts/executable/node.json');
  if (platform !== host) return `${platform} can be made only on such a machine, where it is signed`;
  return process.versions.node === version
    ? undefined
    : `${platform} is made by Node ${version}, and this is ${process.version}`;
}

function nodeFor(platform) {
  if (platform.startsWith('darwin')) {
    return { program: process.execPath, licence: join(process.execPath, '../../LICENSE') };
  }
  if (!platform.startsWith('win'))
    return { program: nodeFile(platform, 'bin/node'), licence: nodeFile(platform, 'LICENSE') };
  // The npm package for Windows contains only the program. The licence is the same on every platform.
  return { program: nodeFile(platform, 'bin/node.exe'), licence: nodeFile('linux-x64', 'LICENSE') };
}

function nodeFile(platform, path) {
  const { version, integrity } = read('scripts/executable/node.json');
  return join(fetchPackage({ cache, name: `node-${platform}`, version, integrity: integrity[platform] }), path);
}

/** Removes the symbols that only a debugger reads, which are 15 MB. */
function strip(program) {
  if (!platform.startsWith('linux')) return;
  const foreign = `${{ x64: 'x86_64', arm64: 'aarch64' }[platform.split('-')[1]]}-linux-gnu-strip`;
  const tool = ['llvm-strip', foreign, ...(platform === host ? ['strip'] : [])].find(
    (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0,
  );
  if (tool === undefined) console.log(`no strip for ${platform} is installed: the executable is 15 MB larger`);
  else run(tool, ['--strip-all', program]);
}

async function writeBlob({ staged, rolldown, licence }) {
  const { version } = read('package.json');
  const { version: driverVersion, integrity } = read('package-lock.json').packages['node_modules/better-sqlite3'];
  const driver = fetchPackage({ cache, name: 'better-sqlite3', version: driverVersion, integrity });
  const { list, contents, files } = packFiles({ root, version, driver, system: systems[platform], licence });
  if (values.unpacked) writeUnpacked(join(mkdir(resolve(root, values.out)), 'tanzanite-unpacked'), files);
  writeFileSync(join(staged, 'list'), list);
  writeFileSync(join(staged, 'contents'), contents);
  const build = await rolldown({ cwd: root, input: 'src/executable/main.ts', platform: 'node' });
  await build.write({ file: join(staged, 'main.cjs'), format: 'cjs' });
  await build.close();
  const assets = { list: join(staged, 'list'), contents: join(staged, 'contents') };
  const sea = {
    main: join(staged, 'main.cjs'),
    output: join(staged, 'blob'),
    assets,
    disableExperimentalSEAWarning: true,
  };
  writeFileSync(join(staged, 'sea.json'), JSON.stringify(sea));
  // The blob must be written by the same version of Node that will read it.
  run(nodeFor(host).program, ['--experimental-sea-config', join(staged, 'sea.json')]);
}

function mkdir(path) {
  mkdirSync(path, { recursive: true });
  return path;
}
