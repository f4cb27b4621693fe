import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folders: string[] = [];

function checkBoundaries(folder: string): { status: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/boundaries.mjs', folder], {
    cwd: root,
    encoding: 'utf8',
  });
  return { status, text: stdout + stderr };
}

/**
 * Makes a folder with these files next to src, so that imports in the files find the same packages as imports in src.
 * Returns the name of the folder.
 */
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(root, '.boundaries-'));
  folders.push(folder);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return basename(folder);
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

// The check compiles every file of src, which takes a few seconds, and several times as long on a busy machine.
describe('the boundaries between modules', { timeout: 180_000 }, () => {
  it('hold in src', () => {
    const { status, text } = checkBoundaries('src');
    expect(text).toMatch(/boundaries: [1-9]\d+ modules checked, \d+ seen, 0 forbidden imports/);
    expect(text).toMatch(/boundaries: [1-9]\d+ files read for clocks, 0 faults/);
    expect(text).toMatch(/boundaries: [1-9]\d+ files read for the schedule, 0 faults/);
    expect(text).toMatch(/boundaries: [1-9]\d+ exported names, 0 faults/);
    expect(status).toBe(0);
  });

  it('refuse imports that cross them', () => {
    const planted = [
      ['model/above.ts', `import '../http/server.ts';`, 'imports of model'],
      ['operations/engine.ts', `import '../storage/sqlite/file/schema.ts';`, 'imports of operations'],
      ['storage/sqlite/file/upward.ts', `import '../scan/scan.ts';`, 'in storage/sqlite, file is below scan'],
      ['http/driver.ts', `import 'better-sqlite3';`, 'owner of better-sqlite3'],
      ['protocol/framework.ts', `import 'fastify';`, 'owner of Fastify'],
      ['model/schema.ts', `import '@fastify/ajv-compiler';`, 'owner of Fastify'],
      ['console/value.ts', `import '../query/plan.ts';`, 'the console runs in a browser'],
      ['model/ticks.ts', `import './time.ts';`, 'browser-safe files import values'],
      ['data/csv.ts', `import 'node:fs';`, 'browser-safe files import values'],
      ['model/circle.ts', `import './limits.ts'; import './circle.ts';`, 'no-cycles'],
    ] as const;
    const targets = [
      'http/server.ts',
      'storage/sqlite/file/schema.ts',
      'storage/sqlite/scan/scan.ts',
      'model/limits.ts',
      'model/time.ts',
      'query/plan.ts',
    ];
    const folder = folderWith({
      ...Object.fromEntries(targets.map((file) => [file, 'export const target = 1;\n'])),
      ...Object.fromEntries(planted.map(([file, code]) => [file, `${code}\nexport const planted = 1;\n`])),
    });
    const { status, text } = checkBoundaries(folder);
    for (const [file, , rule] of planted) {
      expect(text.split('\n').some((line) => line.startsWith(rule) && line.includes(`: ${folder}/${file} →`))).toBe(
        true,
      );
    }
    expect(status).toBe(1);
  });

  it('refuse reads of a clock and timers outside model/time.ts, but not code that only looks similar', () => {
    const planted = {
      'Date.now': 'Date.now()',
      'new Date()': 'new Date()',
      'Date()': 'Date()',
      'performance.now': `performance['now']()`,
      'process.hrtime': 'process.hrtime.bigint()',
      setTimeout: 'setTimeout(() => undefined, 1)',
      setInterval: 'globalThis.setInterval(() => undefined, 1)',
      'import of node:timers/promises': `import('node:timers/promises')`,
    };
    const harmless = [
      'new Date(0).toISOString()',
      'Date.UTC(2026, 0)',
      '({}) as { setTimeout: typeof setTimeout }',
      '({ setTimeout: 1 }).setTimeout',
      '(socket: { setTimeout(ms: number): void }) => socket.setTimeout(1)',
      `'Date.now()'`,
    ];
    const named = (kind: string, codes: readonly string[]) =>
      codes.map((code, at) => [`operations/${kind}-${at}.ts`, `export const planted = ${code};\n`]);
    const folder = folderWith({
      ...Object.fromEntries([...named('clock', Object.values(planted)), ...named('harmless', harmless)]),
      // One file needs its exception, and another does not need its exception.
      'cli/watch-load.ts': 'export const excepted = Date.now();\n',
      'cli/wait.ts': 'export const planted = 1;\n',
    });
    const { status, text } = checkBoundaries(folder);
    const found = [...text.matchAll(/no clock but model\/time\.ts: \S+?\/(\S+):1 (.*)/g)];
    expect(found.map((match) => match.slice(1)).sort()).toEqual(
      Object.keys(planted).map((what, at) => [`operations/clock-${at}.ts`, what]),
    );
    expect(text).toContain('cli/wait.ts reads none and needs no exception');
    expect(text).not.toContain('cli/watch-load.ts');
    expect(status).toBe(1);
  });

  it('refuse turns and random ids outside model/schedule.ts in modules of the simulation, but not similar code', () => {
    const planted = [
      'setImmediate(() => undefined)',
      'globalThis.setImmediate',
      'queueMicrotask',
      'process.nextTick(() => undefined)',
      `Math['random']()`,
      'crypto.randomUUID()',
      'webcrypto.getRandomValues',
    ];
    const harmless = ['({ random: 1 }).random', '(dice: { random(): 1 }) => dice.random()', `'setImmediate'`];
    const named = (kind: string, codes: readonly string[]) =>
      codes.map((code, at) => [`storage/${kind}-${at}.ts`, `export const planted = ${code};\n`]);
    const folder = folderWith({
      ...Object.fromEntries([...named('turn', planted), ...named('harmless', harmless)]),
      'control/imported.ts': `import { randomUUID as draw } from 'node:crypto';\nexport const planted = draw;\n`,
      'http/socket.ts': 'export const above = setImmediate;\n',
      'storage/sqlite/file/disk-reserve.ts': 'export const excepted = Math.random();\n',
      'auth/accounts.ts': 'export const planted = 1;\n',
    });
    const { status, text } = checkBoundaries(folder);
    const found = [...text.matchAll(/only by model\/schedule\.ts: \S+?\/(\S+):1 /g)].map(([, file]) => file);
    expect(found.sort()).toEqual(['control/imported.ts', ...planted.map((_, at) => `storage/turn-${at}.ts`)]);
    expect(text).toContain('auth/accounts.ts uses none and needs no exception');
    expect(text).not.toContain('disk-reserve.ts');
    expect(status).toBe(1);
  });

  it('refuse a name that two files export, but not names that a file re-exports or does not export', () => {
    const folder = folderWith({
      'model/one.ts': `export type Twice = 1;\nexport const { inside: [Deep] } = { inside: [1] };\nexport class Once {}\nconst kept = 1;\n`,
      'model/other.ts': `export function Twice() {}\nexport { Once } from './one.ts';\nconst kept = 2;\n`,
      'console/third.tsx': `export const Deep = () => <p />;\n`,
      'library/jest.ts': `export const useEmulator = 1;\n`,
      'library/vitest.ts': `export const useEmulator = 1;\n`,
    });
    const { status, text } = checkBoundaries(folder);
    const found = text.split('\n').filter((line) => line.startsWith('one meaning per name: '));
    expect(
      found.map((line) => line.replaceAll(`${folder}/`, '').slice('one meaning per name: '.length)).sort(),
    ).toEqual([
      'Deep is exported by console/third.tsx, model/one.ts',
      'Twice is exported by model/one.ts, model/other.ts',
      'restoreBeforeEach needs no exception',
    ]);
    expect(status).toBe(1);
  });

  it('do not hold in a folder without modules', () => {
    expect(checkBoundaries(folderWith({})).status).toBe(1);
  });
});
