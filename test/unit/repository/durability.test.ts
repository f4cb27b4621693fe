import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { longRuns } from '../../durability/long-runs.ts';
import { durabilityRows } from '../../durability/rows.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

it('docs/durability.md is generated from the rows, and the tests and the code that they name exist', () => {
  const script = ['scripts/durability.mjs', '--print'];
  const { status, stdout, stderr } = spawnSync(process.execPath, script, { cwd: root, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  expect(readFileSync(`${root}/docs/durability.md`, 'utf8'), 'run: node scripts/durability.mjs').toBe(stdout);
});

it('every row of the table of failures is about files, about a database, or about both', () => {
  expect(durabilityRows.length).toBeGreaterThan(12);
  expect(durabilityRows.filter(({ files, database }) => !files && !database)).toEqual([]);
});

it('each longer run is a script of the package, and and has the date of its result', () => {
  const { scripts } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
  for (const { command, date, result } of longRuns) {
    expect(Object.keys(scripts)).toContain(command.split(' ')[2]);
    expect(date).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(result).toMatch(/\d/);
  }
});
