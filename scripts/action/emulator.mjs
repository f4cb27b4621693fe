// Starts the emulator as a process that outlives its step, runs commands against it, and ends it.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { UnusableStep } from './workflow.mjs';

const startTimeoutMs = 60_000;
const stopTimeoutMs = 10_000;
const pollMs = 50;

/**
 * Returns the command line that runs the program whose path is `executable`. A JavaScript program runs with the job's
 * Node, because the job's Node built the native modules of the program.
 */
export function programOf(executable) {
  const path = resolve(executable);
  if (!existsSync(path)) throw new UnusableStep(`the input executable names no file: ${executable}.`);
  return /\.[cm]?js$/.test(path) ? ['node', path] : [path];
}

/** Returns when the emulator accepts requests. `log` is a path without an extension. Throws UnusableStep. */
export async function startEmulator(program, { args, seed, log }) {
  const words = ['start', '--inMemoryPersistence', '--accounts', 'any', '--log-level', 'warn'];
  if (seed) words.push('--seed', seed);
  words.push(...args, '--log-format', 'json');
  const [out, err] = [`${log}.out`, `${log}.err`].map((path) => openSync(path, 'a', 0o600));
  let failure;
  const child = spawn(program[0], [...program.slice(1), ...words], {
    detached: true,
    stdio: ['ignore', out, err],
    windowsHide: true,
  });
  child.on('error', (error) => {
    failure = error;
  });
  closeSync(out);
  closeSync(err);
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    const ready = readReadyLine(`${log}.out`);
    if (failure) throw new UnusableStep(`${program.join(' ')} cannot be started: ${failure.message}.`);
    if (hasEnded) throw new UnusableStep(`the emulator did not start: ${lastWords(log)}`);
    if (ready) {
      child.unref();
      return { pid: child.pid, url: ready.url, version: ready.version };
    }
    if (Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new UnusableStep(`the emulator was not ready after ${startTimeoutMs / 1000} s: ${lastWords(log)}`);
    }
    await sleep(pollMs);
  }
}

/** The lines of standard output are JSON. The first line with a url says that the emulator accepts requests. */
function readReadyLine(path) {
  for (const line of readFileSync(path, 'utf8').split('\n').slice(0, -1)) {
    try {
      const entry = JSON.parse(line);
      if (typeof entry.url === 'string') return entry;
    } catch {
      // Not a JSON line.
    }
  }
  return undefined;
}

/** The last line that the emulator wrote to standard error. */
export function lastWords(log) {
  const lines = readFileSync(`${log}.err`, 'utf8').trim().split('\n');
  return lines.at(-1)?.replace(/^tanzanite: /, '') || 'it said nothing.';
}

/** Runs a command of the program against the emulator. Returns `{ status, stdout, stderr }`. */
export function runCommand(program, words, url) {
  const insecure = url.startsWith('https:') ? ['--insecure'] : [];
  const all = [...program.slice(1), ...words, '--url', url, ...insecure];
  const { status, stdout, stderr, error } = spawnSync(program[0], all, { encoding: 'utf8', maxBuffer: 2 ** 27 });
  return { status, stdout: stdout ?? '', stderr: (error?.message ?? stderr ?? '').trim().replace(/^tanzanite: /, '') };
}

/**
 * Whether something listens at the address. The process id cannot show whether the emulator still runs: an ended
 * process keeps its id until its parent process waits for it.
 */
export async function isListening(url) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || 443 });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/**
 * Stops the emulator gracefully, and kills it if it still runs after ten seconds. Windows has no signals, so on Windows
 * the process ends immediately.
 */
export async function stopEmulator(pid) {
  const deadline = Date.now() + stopTimeoutMs;
  signal(pid, 'SIGTERM');
  while (isRunning(pid)) {
    if (Date.now() > deadline) return signal(pid, 'SIGKILL');
    await sleep(pollMs);
  }
}

/**
 * Whether the process runs. A zombie counts as ended. In a container without an init process, an ended process remains
 * as a zombie.
 */
function isRunning(pid) {
  if (process.platform !== 'linux') return signal(pid, 0);
  try {
    return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

function signal(pid, name) {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
