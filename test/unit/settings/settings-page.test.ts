import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

it('docs/settings.md is what scripts/settings.mjs generates from the table', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/settings.mjs', '--print'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  expect(readFileSync(`${root}/docs/settings.md`, 'utf8'), 'run: node scripts/settings.mjs').toBe(stdout);
});
