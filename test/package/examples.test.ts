import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root, UnpackedPackage } from './unpacked-package.ts';

let unpacked: UnpackedPackage;
beforeAll(() => {
  unpacked = new UnpackedPackage(['@azure/data-tables', 'vitest']);
});
afterAll(() => unpacked.remove());

/** test/packages runs the examples in these languages. */
const ofLanguages = ['go', 'java', 'python'];

/**
 * Examples that these tests do not run. Jest is not installed here: test/package/install.mjs runs the examples of Jest,
 * and test/unit/library imitates the globals of Jest. The example testcontainers-node needs a container engine: a test
 * in test/unit/repository only checks the request for a container that this example makes.
 */
const byHand = ['jest', 'jest-whole-run', 'testcontainers-node'];
const runners: Readonly<Record<string, readonly string[]>> = {
  'node-test': ['--test'],
  vitest: [join(root, 'node_modules/vitest/vitest.mjs'), 'run'],
  'vitest-whole-run': [join(root, 'node_modules/vitest/vitest.mjs'), 'run'],
};

it('every example is tested', () => {
  const folders = readdirSync(join(root, 'examples'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual([...byHand, ...ofLanguages, ...Object.keys(runners)].sort());
});

it.each(Object.entries(runners))('the example %s passes with the published package', (name, runner) => {
  const { VITEST: _, NODE_TEST_CONTEXT: __, FORCE_COLOR: ___, ...inherited } = process.env;
  const env = { ...inherited, NO_COLOR: '1' };
  const cwd = unpacked.copy(join('examples', name));
  const { status, stdout, stderr } = spawnSync(process.execPath, runner, { cwd, env, encoding: 'utf8' });
  expect(status, stdout + stderr).toBe(0);
  expect(stdout).toMatch(name === 'node-test' ? /pass 4\n/ : /Tests {2}[124] passed/);
});
