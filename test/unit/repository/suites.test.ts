import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const foldersIn = (path: string): string[] =>
  readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Folders of test/unit without a corresponding folder in src. */
const aboutOthers = ['repository', 'support', join('storage', 'contract')];
/** Suites that kill a process at a random moment, or measure how long something takes. */
const runsForATime = ['crash', 'cluster', 'bench'];

/** All folders below a folder, at any depth. */
function foldersBelow(path: string, above = ''): string[] {
  return foldersIn(join(path, above)).flatMap((name) => {
    const folder = join(above, name);
    return aboutOthers.includes(folder) ? [] : [folder, ...foldersBelow(path, folder)];
  });
}

describe('test/README.md', () => {
  it('names every suite', () => {
    const rows = [...read('test/README.md').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    expect([...rows].sort()).toEqual(foldersIn('test').sort());
  });
});

describe('test/unit', () => {
  it('has the same folders as src', () => {
    const isInSource = (folder: string): boolean =>
      statSync(join(root, 'src', folder), { throwIfNoEntry: false })?.isDirectory() ?? false;
    expect(foldersBelow('test/unit').filter((folder) => !isInSource(folder))).toEqual([]);
  });
});

describe('A test', () => {
  // The program that exec runs waits for a second signal, which must not come, so that test may wait.
  const excepted = [...runsForATime, join('unit', 'repository'), join('unit', 'cli', 'exec.test.ts')];
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      file.endsWith('.test.ts') &&
      !file.includes('node_modules') &&
      !excepted.some((folder) => file === folder || file.startsWith(join(folder, '/'))),
  );

  it('neither sleeps nor measures how long something takes', () => {
    const waits = /performance\.now\(\)|\bsleep\b.*timers\/promises|setTimeout\(.*, ?[1-9]/;
    const found = files.flatMap((file) =>
      read(join('test', file))
        .split('\n')
        .flatMap((line, at) => (waits.test(line) ? [`${file}:${at + 1}`] : [])),
    );
    expect(found).toEqual([]);
    expect(files.length).toBeGreaterThan(300);
  });
});
