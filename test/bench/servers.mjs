// Starts and stops the servers that the benches compare. Each server is a child process on loopback, and has a new
// location.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const readyTimeoutMs = 20_000;
const stopTimeoutMs = 5_000;
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
export const projectFolder = here('../..');
const systemName = process.platform === 'win32' ? 'win' : process.platform;
// The file that `npm run executable` makes.
export const executableFile = here(
  `../../executables/tanzanite-${systemName}-${process.arch}${systemName === 'win' ? '.exe' : ''}`,
);
const azuriteFile = here('node_modules/azurite/dist/src/table/main.js');
// Azurite 3.37 needs Node 22; for a run on Node 20, TANZANITE_AZURITE_NODE names a newer Node for it.
const azuriteNode = process.env.TANZANITE_AZURITE_NODE || process.execPath;
export const azuriteNodeMajorMin = 22;
const azuriteNodeVersion =
  azuriteNode === process.execPath
    ? process.version
    : spawnSync(azuriteNode, ['-v'], { encoding: 'utf8' }).stdout?.trim();

// node:http writes these headers by itself. They must be left out when the headers of a sample are copied, or else they
// are sent twice.
const nodeHeaders = /^(date|connection|keep-alive|transfer-encoding)$/i;

const running = new Set();
process.on('exit', () => {
  for (const { child, location } of running) {
    child.kill('SIGKILL');
    rmSync(location, { recursive: true, force: true });
  }
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

// `folder` is a checkout with a build. `store` is the address of an empty PostgreSQL database, which is used instead of
// a location.
export function startTanzanite({ name = 'Tanzanite', folder = projectFolder, flags = [], store } = {}) {
  const file = resolve(folder, 'dist/cli.js');
  if (!existsSync(file)) throw new Error(`${file} is missing: run npm run build there first`);
  return start({
    name,
    args: (location) => [
      ...[file, 'start', '--tablePort', '0', '--silent'],
      ...(store === undefined ? ['--location', location, '--durability', 'process'] : ['--store', store]),
      ...flags,
    ],
    ready: /successfully listening at https?:\/\/127\.0\.0\.1:(\d+)/,
  });
}

// cache: the folder into which the executable unpacks itself.
export function startExecutable({ cache }) {
  return start({
    name: 'the executable',
    command: executableFile,
    env: { XDG_CACHE_HOME: cache, LOCALAPPDATA: cache },
    args: (location) => ['start', '--tablePort', '0', '--silent', '--location', location],
    ready: /successfully listening at http:\/\/127\.0\.0\.1:(\d+)/,
  });
}

export function hasAzurite() {
  return whyNoAzurite() === undefined;
}

// Why Azurite cannot be started here, or undefined if it can.
export function whyNoAzurite() {
  if (!existsSync(azuriteFile)) return 'it is not installed: npm ci in test/bench';
  if (!azuriteNodeVersion) return `TANZANITE_AZURITE_NODE names nothing that runs: ${azuriteNode}`;
  if (majorOf(azuriteNodeVersion) < azuriteNodeMajorMin)
    return `it needs Node ${azuriteNodeMajorMin}: TANZANITE_AZURITE_NODE names one for it`;
  return undefined;
}

// The versions of Azurite and of its Node, or undefined if it cannot be started.
export function describeAzurite() {
  if (!hasAzurite()) return undefined;
  const { version } = JSON.parse(readFileSync(here('node_modules/azurite/package.json'), 'utf8'));
  return { version, node: azuriteNodeVersion };
}

export function majorOf(version) {
  return Number.parseInt(version.slice(1), 10);
}

// Azurite accepts port 0 but does not say which port it got, so this function chooses a free port.
export async function startAzurite({ flags = [] } = {}) {
  const why = whyNoAzurite();
  if (why) throw new Error(`Azurite cannot be started: ${why}`);
  const port = await freePort();
  const all = ['--disableTelemetry', '--inMemoryPersistence', '--silent', '--skipApiVersionCheck', ...flags];
  return start({
    name: 'Azurite',
    command: azuriteNode,
    args: () => [azuriteFile, '--tableHost', '127.0.0.1', '--tablePort', String(port), ...all],
    ready: /successfully started on 127\.0\.0\.1:(\d+)/,
  });
}

// The argument is { entities, read, insert, range, page }. The last four members are Tanzanite's answers, as askOnce
// returned them.
export function startCeiling({ entities, ...samples }) {
  const plain = (answer) => ({
    ...answer,
    headers: answer.headers.filter(([name]) => !nodeHeaders.test(name)).flat(),
  });
  return start({
    name: 'ceiling',
    args: (location) => {
      const file = join(location, 'samples.json');
      const given = Object.entries(samples).filter(([, answer]) => answer);
      const answers = Object.fromEntries(given.map(([name, answer]) => [name, plain(answer)]));
      writeFileSync(file, JSON.stringify({ entities, ...answers }));
      return [here('ceiling.mjs'), location, file];
    },
    ready: /listening at http:\/\/127\.0\.0\.1:(\d+)/,
  });
}

function start({ name, args, ready, command = process.execPath, env = {} }) {
  const location = mkdtempSync(join(tmpdir(), 'tanzanite-bench-'));
  const child = spawn(command, args(location), {
    cwd: location,
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const entry = { child, location };
  running.add(entry);
  return new Promise((resolve, reject) => {
    let output = '';
    const timer = setTimeout(
      () => reject(new Error(`${name} is not ready after ${readyTimeoutMs} ms: ${output}`)),
      readyTimeoutMs,
    );
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code}: ${output}`)));
    const read = (text) => {
      // The output is kept only until the ready line. Later output is read and dropped, so that the pipe never fills.
      if (ready.test(output)) return;
      output += text;
      const found = ready.exec(output);
      if (!found) return;
      clearTimeout(timer);
      resolve({ name, port: Number(found[1]), pid: child.pid, location, stop: () => stop(entry) });
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', read);
  });
}

async function stop(entry) {
  const { child, location } = entry;
  if (child.exitCode === null && child.signalCode === null) {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
    await ended;
    clearTimeout(timer);
  }
  running.delete(entry);
  rmSync(location, { recursive: true, force: true });
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
