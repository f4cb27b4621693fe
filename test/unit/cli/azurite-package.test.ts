import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findAzuriteAt } from '../../../src/cli/azurite-package.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A file of a project that has a package azurite with this manifest. */
function projectWith(manifest: string): { readonly file: string; readonly folder: string } {
  const { path, remove } = temporaryFolder();
  onTestFinished(remove);
  const folder = join(path, 'node_modules/azurite');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), manifest);
  return { file: join(path, 'index.js'), folder };
}

it('finds the programs that the manifest names', () => {
  const { file, folder } = projectWith('{"bin": {"azurite-blob": "dist/blob.js", "azurite-queue": "dist/queue.js"}}');
  expect(findAzuriteAt(file)).toEqual({ blob: join(folder, 'dist/blob.js'), queue: join(folder, 'dist/queue.js') });
});

it.each([
  '',
  '{',
  'null',
  '{}',
  '{"bin": "dist/all.js"}',
  '{"bin": {"azurite-blob": "dist/blob.js"}}',
  '{"bin": {"azurite-blob": 1, "azurite-queue": 2}}',
])('takes a package with the manifest %s for none', (manifest) => {
  expect(findAzuriteAt(projectWith(manifest).file)).toBeUndefined();
});
