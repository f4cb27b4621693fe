// The built command, built first where it is missing or older than what it is made of. Test files run side by side and
// a build empties dist, so the first to make the lock builds and the others wait for it.
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));
const command = join(root, 'dist', 'cli.js');
const cache = join(root, 'test', 'sdk', '.cache');
/** The one that the SDK smoke tests take before they build. */
const lock = join(cache, 'build.lock');
const buildTimeoutMs = 120_000;

let built;

/** Looks once: an edit of the sources does not change the command under a test that runs. */
export function builtCommand() {
  built ??= build();
  return built;
}

async function build() {
  while (isStale()) {
    if (!acquireLock()) {
      await sleep(100);
      continue;
    }
    try {
      const options = { cwd: root, timeout: buildTimeoutMs };
      if (isStale()) await promisify(execFile)(process.execPath, ['scripts/build.mjs'], options);
    } finally {
      rmSync(lock, { recursive: true, force: true });
    }
  }
  return command;
}

function isStale() {
  const built = changedMs(command);
  const parts = readdirSync(join(root, 'src'), { recursive: true }).map((name) => join('src', String(name)));
  return [...parts, 'package.json', 'scripts/build.mjs'].some((name) => changedMs(join(root, name)) > built);
}

function changedMs(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function acquireLock() {
  mkdirSync(cache, { recursive: true });
  try {
    mkdirSync(lock);
    return true;
  } catch {
    // A build that ended badly leaves its lock behind.
    if (Date.now() - changedMs(lock) > buildTimeoutMs) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}
