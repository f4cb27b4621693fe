import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const copies: string[] = [];

function checkBoundaries(folder: string): { status: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/boundaries.mjs', folder], {
    cwd: root,
    encoding: 'utf8',
  });
  return { status, text: stdout + stderr };
}

/** A copy of src beside it, so that the same packages are found. */
function copyOfSource(): string {
  const copy = mkdtempSync(join(root, '.boundaries-'));
  copies.push(copy);
  cpSync(join(root, 'src'), copy, { recursive: true });
  return copy;
}

afterEach(() => {
  for (const copy of copies.splice(0)) rmSync(copy, { recursive: true, force: true });
});

describe('the boundaries between modules', () => {
  it('hold, and at least one module is checked', () => {
    const { status, text } = checkBoundaries('src');
    expect(text).toMatch(/boundaries: [1-9]\d+ modules checked, \d+ seen, 0 forbidden imports/);
    expect(text).toMatch(/boundaries: [1-9]\d+ files read for clocks, 0 faults/);
    expect(status).toBe(0);
  });

  it('refuse imports that cross them', () => {
    const planted = [
      ['model/above.ts', `import '../http/server.ts';`, 'imports of model'],
      ['operations/engine.ts', `import '../storage/sqlite/schema.ts';`, 'imports of operations'],
      ['http/driver.ts', `import 'better-sqlite3';`, 'owner of better-sqlite3'],
      ['protocol/framework.ts', `import 'fastify';`, 'owner of Fastify'],
      ['model/circle.ts', `import './limits.ts'; import './circle.ts';`, 'no-cycles'],
    ] as const;
    const copy = copyOfSource();
    for (const [file, code] of planted) writeFileSync(join(copy, file), `${code}\nexport const planted = 1;\n`);
    const { status, text } = checkBoundaries(basename(copy));
    for (const [file, , rule] of planted) expect(text).toContain(`${rule}: ${basename(copy)}/${file} →`);
    expect(status).toBe(1);
  });

  it('refuse what reads a clock or starts a timer past model/time.ts, and nothing that only looks like it', () => {
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
    const copy = copyOfSource();
    mkdirSync(join(copy, 'operations/planted'));
    const plant = (file: string, code: string): void =>
      writeFileSync(join(copy, file), `export const planted = ${code};\n`);
    for (const [at, code] of Object.values(planted).entries()) plant(`operations/planted/clock-${at}.ts`, code);
    for (const [at, code] of harmless.entries()) plant(`operations/planted/harmless-${at}.ts`, code);
    // A file with an exception that it does not need.
    plant('cli/wait.ts', '1');
    const { status, text } = checkBoundaries(basename(copy));
    const found = [...text.matchAll(/no clock but model\/time\.ts: \S+\/planted\/(\S+):1 (.*)/g)];
    expect(found.map((match) => match.slice(1)).sort()).toEqual(
      Object.keys(planted).map((what, at) => [`clock-${at}.ts`, what]),
    );
    expect(text).toContain('cli/wait.ts reads none and needs no exception');
    expect(status).toBe(1);
  });

  it('do not pass a folder without modules', () => {
    const empty = mkdtempSync(join(root, '.boundaries-'));
    copies.push(empty);
    expect(checkBoundaries(basename(empty)).status).toBe(1);
  });
});
