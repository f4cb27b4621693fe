// `npm run executable` says in one line what is missing. These tests make no executable.
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { newFolder } from './program.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A clone with the script but without installed packages, in which nothing needs to be built. */
function cloneOf(): string {
  const clone = newFolder();
  for (const path of ['scripts/executable', 'scripts/executable.mjs'])
    cpSync(join(root, path), join(clone, path), { recursive: true });
  for (const path of ['package.json', 'package-lock.json']) copyFileSync(join(root, path), join(clone, path));
  writeFileSync(join(clone, 'scripts/build-once.mjs'), '');
  return clone;
}

function install(clone: string, name: string): void {
  const folder = join(clone, 'node_modules', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), `{"name": "${name}", "type": "module", "exports": "./index.js"}`);
  writeFileSync(join(folder, 'index.js'), 'export const inject = undefined, rolldown = undefined;');
}

function make(clone: string, ...words: string[]) {
  const options = { env: { PATH: join(clone, 'nowhere') }, encoding: 'utf8' } as const;
  const { status, stderr } = spawnSync(process.execPath, [join(clone, 'scripts/executable.mjs'), ...words], options);
  return { status, stderr };
}

describe.skipIf(process.platform === 'win32')('npm run executable', () => {
  it.each([
    [['--platform', 'sparc'], 'there is no platform sparc; '],
    [['--platfrom', 'linux-x64'], "Unknown option '--platfrom'"],
    [['linux-x64'], "Unexpected argument 'linux-x64'"],
    [['--platform'], "Option '--platform <value>' argument missing"],
  ])('refuses %j in one line', (words, reason) => {
    const { status, stderr } = make(cloneOf(), ...words);
    expect({ status, lines: stderr.match(/\n/g)?.length }).toEqual({ status: 2, lines: 1 });
    expect(stderr.startsWith(`executable: ${reason}`), stderr).toBe(true);
  });

  it('names the command that must run before it', () => {
    const reason = 'executable: the packages that it needs are not installed. Run: npm ci\n';
    expect(make(cloneOf())).toEqual({ status: 1, stderr: reason });
  });

  it.runIf(process.platform === 'linux')('says that there is no npm to fetch Node with', () => {
    const clone = cloneOf();
    for (const name of ['postject', 'rolldown']) install(clone, name);
    const reason = 'executable: npm cannot be run: it is not on the path\n';
    expect(make(clone)).toEqual({ status: 1, stderr: reason });
  });
});
