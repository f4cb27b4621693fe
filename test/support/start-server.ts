// Starts a server for an SDK: the built command on a free port with a fresh location, or, if
// TANZANITE_TEST_ENDPOINT is set, the server at that address. With TANZANITE_TEST_ENGINE=postgres it keeps its data in a
// database of its own. Does not depend on the SDKs.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createDatabase, distributeOverCitus, hasPostgres } from './postgres.ts';

export interface RunningServer {
  readonly connectionString: string;
  /** The table endpoint, account included: `http://127.0.0.1:10002/devstoreaccount1`. */
  readonly url: string;
  stop(): Promise<void>;
}

const account = 'devstoreaccount1';
const accountKey = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';
const root = fileURLToPath(new URL('../..', import.meta.url));
const command = join(root, 'dist', 'cli.js');
const readyLine = /Azurite Table service is successfully listening at (http:\/\/[^\s/]+)/;
const startTimeoutMs = 20_000;
const stopTimeoutMs = 10_000;
const buildTimeoutMs = 180_000;

export async function startServer(): Promise<RunningServer> {
  const given = process.env.TANZANITE_TEST_ENDPOINT;
  if (given) {
    return describeServer(given, async () => {});
  }
  await buildOnce();
  const place = await createPlace();
  const server = spawn(process.execPath, [command, 'start', '--tablePort', '0', '--silent'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...place.env },
  });
  const stop = async () => {
    try {
      await stopProcess(server);
    } finally {
      await place.remove();
    }
  };
  try {
    return describeServer(await waitForAddress(server), stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Where the server keeps its data. */
interface Place {
  readonly env: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

async function createPlace(): Promise<Place> {
  if (process.env['TANZANITE_TEST_ENGINE'] === 'postgres' && hasPostgres) {
    const { url, drop } = await createDatabase();
    await distributeOverCitus(url);
    return { env: { TANZANITE_STORE: url }, remove: drop };
  }
  const location = await mkdtemp(join(tmpdir(), 'tanzanite-sdk-'));
  return { env: { TANZANITE_LOCATION: location }, remove: () => rm(location, { recursive: true, force: true }) };
}

function describeServer(address: string, stop: () => Promise<void>): RunningServer {
  const { origin, pathname } = new URL(address);
  const url = origin + (pathname === '/' ? `/${account}` : pathname.replace(/\/$/, ''));
  const connectionString = [
    'DefaultEndpointsProtocol=http',
    `AccountName=${account}`,
    `AccountKey=${accountKey}`,
    `TableEndpoint=${url}`,
  ].join(';');
  return { connectionString, url, stop };
}

function waitForAddress(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const refuse = (why: string) => {
      clearTimeout(timer);
      reject(new Error(`${why}\n${output}`));
    };
    const timer = setTimeout(() => refuse(`no ready line within ${startTimeoutMs} ms`), startTimeoutMs);
    server.stderr?.on('data', (bytes: Buffer) => {
      output += bytes.toString();
    });
    server.stdout?.on('data', (bytes: Buffer) => {
      output += bytes.toString();
      const address = readyLine.exec(output)?.[1];
      if (address) {
        clearTimeout(timer);
        resolve(address);
      }
    });
    server.once('error', (error) => refuse(error.message));
    server.once('exit', (code, signal) => refuse(`the server ended before it was ready (${signal ?? code})`));
  });
}

// A server that does not end after SIGTERM is a defect.
async function stopProcess(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) {
    return;
  }
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  server.kill('SIGTERM');
  const tooSlow = setTimeout(() => server.kill('SIGKILL'), stopTimeoutMs);
  await ended;
  clearTimeout(tooSlow);
  if (server.signalCode === 'SIGKILL') {
    throw new Error(`the server did not stop within ${stopTimeoutMs} ms of SIGTERM`);
  }
}

// Test files run in parallel, and the build empties dist first: the first one that creates the lock builds, the others wait.
async function buildOnce(): Promise<void> {
  if (existsSync(command)) {
    return;
  }
  const lock = join(root, 'test', 'sdk', '.cache', 'build.lock');
  await mkdir(join(lock, '..'), { recursive: true });
  while (!(await acquireLock(lock))) {
    await sleep(100);
  }
  try {
    if (!existsSync(command)) {
      execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'pipe', timeout: buildTimeoutMs });
    }
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

async function acquireLock(lock: string): Promise<boolean> {
  try {
    await mkdir(lock);
    return true;
  } catch {
    const made = await stat(lock).catch(() => undefined);
    if (made && Date.now() - made.mtimeMs > buildTimeoutMs) {
      await rm(lock, { recursive: true, force: true });
    }
    return false;
  }
}
