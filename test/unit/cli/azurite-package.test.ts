import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findAzurite, findAzuriteAt } from '../../../src/cli/azurite-package.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A file in a project that has a package azurite with this manifest. */
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

it.skipIf(process.platform === 'win32')(
  'continues to search if a project that is called azurite has a command on the path',
  () => {
    const [project, real] = [
      '{"name": "azurite"}',
      '{"name": "azurite", "bin": {"azurite-blob": "b", "azurite-queue": "q"}}',
    ].map((manifest) => projectWith(manifest).folder);
    for (const folder of [project, real]) {
      writeFileSync(join(String(folder), 'command.js'), '');
      symlinkSync('command.js', join(String(folder), 'azurite'));
    }
    const found = findAzurite({ PATH: `relative:/nowhere:${project}:${real}` });
    expect(found).toEqual({ blob: join(String(real), 'b'), queue: join(String(real), 'q') });
  },
);

it.each([
  '',
  '{',
  'null',
  '{}',
  '{"bin": "dist/all.js"}',
  '{"bin": {"azurite-blob": "dist/blob.js"}}',
  '{"bin": {"azurite-blob": 1, "azurite-queue": 2}}',
])('ignores a package with the manifest %s', (manifest) => {
  expect(findAzuriteAt(projectWith(manifest).file)).toBeUndefined();
});
