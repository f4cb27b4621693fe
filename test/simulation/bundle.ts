// The simulated process as one file, which starts fast and holds nothing that is loaded later: a file that is read in the background
// is there sooner or later, and no seed repeats that.

import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

/** Part of a file of src that is replaced. */
export interface Patch {
  /** Below `src`. */
  readonly file: string;
  readonly text: string;
  readonly by: string;
}

/** Returns the path of the file. Throws for a patch whose text is not exactly once in its file. */
export async function bundleProcess(root: string, folder: string, patches: readonly Patch[] = []): Promise<string> {
  const file = join(folder, 'service-process.mjs');
  // The driver is found from where the file is.
  const packages = join(folder, 'node_modules');
  if (!existsSync(packages)) symlinkSync(join(root, 'node_modules'), packages, 'dir');
  const applied = new Set<Patch>();
  const build = await rolldown({
    cwd: root,
    input: 'test/simulation/service-process.ts',
    platform: 'node',
    external: ['better-sqlite3', 'pg-native', 'vitest'],
    logLevel: 'silent',
    plugins: [
      {
        name: 'patches',
        transform(code, id) {
          let patched = code;
          for (const patch of patches.filter((one) => id.endsWith(`/src/${one.file}`))) {
            if (patched.split(patch.text).length !== 2) throw new Error(`${patch.file} has not once: ${patch.text}`);
            patched = patched.replace(patch.text, () => patch.by);
            applied.add(patch);
          }
          return patched === code ? undefined : patched;
        },
      },
    ],
  });
  await build.write({ file, format: 'esm', codeSplitting: false });
  await build.close();
  const missed = patches.find((patch) => !applied.has(patch));
  if (missed) throw new Error(`there is no file src/${missed.file}`);
  return file;
}
