// Bundles the simulated process into one file. The process starts fast, and loads no files later. If it loaded a file
// in the background, this would take a different time in each run, and a seed could not repeat the run.

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import type { Command, ProcessOptions } from './protocol.ts';

/** A replacement of text in a file of src. */
export interface Patch {
  /** The path below `src`. */
  readonly file: string;
  readonly text: string;
  readonly by: string;
}

/** Packages that a run never loads. */
const never = ['pg', 'pg-native', 'pgpass', 'jose', 'prom-client', 'reflect-metadata', '@peculiar/x509', 'vitest'];

/**
 * Builds the simulated process in a new folder below `folder`, and returns the path of the program. Throws if the text
 * of a patch does not occur exactly once in the patched file.
 */
export async function bundleProcess(root: string, folder: string, patches: readonly Patch[] = []): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const own = mkdtempSync(join(folder, 'process-'));
  // The program finds the SQLite driver through a link in its folder.
  symlinkSync(join(root, 'node_modules'), join(own, 'node_modules'), 'dir');
  const applied = new Set<Patch>();
  const build = await rolldown({
    cwd: root,
    input: 'test/simulation/service-process.ts',
    platform: 'node',
    external: ['better-sqlite3', ...never],
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
  await build.write({
    file: join(own, 'service-process.cjs'),
    format: 'cjs',
    codeSplitting: false,
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  });
  await build.close();
  const missed = patches.find((patch) => !applied.has(patch));
  if (missed) throw new Error(`there is no file src/${missed.file}`);
  const starter = join(own, 'start-compiled.cjs');
  copyFileSync(join(root, 'test/simulation/start-compiled.cjs'), starter);
  compile(starter);
  return starter;
}

/** Runs the program once, so that its compiled code is stored. */
function compile(starter: string): void {
  const options: ProcessOptions = { seed: 1, durability: 'power', tableDeleteDelayMs: 0, dateMs: 0, disk: [] };
  const commands: readonly Command[] = [
    {
      kind: 'send',
      seed: 1,
      disk: [],
      requests: [{ id: 1, method: 'GET', path: '/_emulator/clock', headers: {}, isSigned: false }],
    },
    { kind: 'close', seed: 1 },
  ];
  const { status, stderr } = spawnSync(process.execPath, [starter, JSON.stringify(options)], {
    env: { ...process.env, SIMULATION_COMPILES: '1' },
    input: commands.map((command) => `${JSON.stringify(command)}\n`).join(''),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the simulated process does not start: ${stderr}`);
}
