// Downloads packages from the npm registry and unpacks them in the cache of the clone.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the folder of a package in a given version. Throws if the package cannot be downloaded, or if the digest of
 * the archive is not `integrity`.
 */
export function fetchPackage({ cache, name, version, integrity }) {
  const folder = join(cache, `${name}-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const staged = mkdtempSync(join(cache, '.staged-'));
  try {
    const archive = pack(`${name}@${version}`, staged);
    const digest = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
    if (digest !== integrity) throw new Error(`${name}@${version} is ${digest}, not ${integrity}`);
    run('tar', ['-xzf', archive, '-C', staged]);
    renameSync(join(staged, 'package'), folder);
    return folder;
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

function pack(spec, folder) {
  const words = ['pack', spec, '--json', '--ignore-scripts', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(run('npm', words, { shell: process.platform === 'win32' }));
  return join(folder, filename);
}

/** Runs a program and shows its standard error. Throws if the program fails. */
export function run(program, words, options = {}) {
  const { status, stdout, error } = spawnSync(program, words, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    ...options,
  });
  if (error)
    throw new Error(`${program} cannot be run: ${error.code === 'ENOENT' ? 'it is not on the path' : error.message}`);
  if (status !== 0) throw new Error(`${program} ${words.slice(0, 2).join(' ')} ended with ${status}`);
  return stdout;
}
