import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The output of the script, with --print. */
function printed(what: 'page' | 'schema'): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/settings.mjs', '--print', what], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  return stdout;
}

it.each([
  ['docs/settings.md', 'page'],
  ['openapi/tanzanite.schema.json', 'schema'],
] as const)('%s is what scripts/settings.mjs writes from the table', (file, what) => {
  expect(readFileSync(`${root}/${file}`, 'utf8'), 'run: node scripts/settings.mjs').toBe(printed(what));
});
