import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { durabilityRows } from '../../durability/rows.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

it('docs/durability.md is what scripts/durability.mjs makes from the rows, whose tests and handling exist', () => {
  const script = ['scripts/durability.mjs', '--print'];
  const { status, stdout, stderr } = spawnSync(process.execPath, script, { cwd: root, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  expect(readFileSync(`${root}/docs/durability.md`, 'utf8'), 'run: node scripts/durability.mjs').toBe(stdout);
});

it('every row of the table of failures is over files, over a database, or over both', () => {
  expect(durabilityRows.length).toBeGreaterThan(12);
  expect(durabilityRows.filter(({ files, database }) => !files && !database)).toEqual([]);
});
