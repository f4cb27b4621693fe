import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
    expect(status).toBe(0);
  });

  it.each([
    ['a module above it', 'model/planted.ts', `import '../http/server.ts';`, 'imports of model'],
    [
      'the engine from an operation',
      'operations/planted.ts',
      `import '../storage/sqlite/schema.ts';`,
      'imports of operations',
    ],
    ['the SQLite driver outside the engine', 'http/planted.ts', `import 'better-sqlite3';`, 'owner of better-sqlite3'],
    ['Fastify outside http', 'protocol/planted.ts', `import 'fastify';`, 'owner of Fastify'],
    ['each other in a circle', 'model/clock.ts', `import './limits.ts'; import './clock.ts';`, 'no-cycles'],
  ])('refuse an import of %s', (_, file, code, rule) => {
    const copy = copyOfSource();
    writeFileSync(join(copy, file), `${code}\nexport const planted = 1;\n`);
    const { status, text } = checkBoundaries(basename(copy));
    expect(text).toContain(rule);
    expect(status).toBe(1);
  });

  it('do not pass a folder without modules', () => {
    const empty = mkdtempSync(join(root, '.boundaries-'));
    copies.push(empty);
    expect(checkBoundaries(basename(empty)).status).toBe(1);
  });
});
