// Bundles a file of the source for Node, for tests that run it in several processes.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';

/** Bundles `src/PATH` into the folder. Returns a URL for `import`. */
export async function bundleSource(path: string, folder: string): Promise<string> {
  const file = join(folder, 'bundled.mjs');
  const output = { file, codeSplitting: false } as const;
  await build({ input: join('src', path), platform: 'node', output, logLevel: 'silent' });
  return pathToFileURL(file).href;
}
