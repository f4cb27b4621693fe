// The program inside the single executable (Node.js, Single executable applications): unpacks the package, once, and hands over to its command.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { getAsset, getRawAsset } from 'node:sea';
import { pathToFileURL } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { keepCompiledCode } from '../cli/compile-cache.ts';
import { runsProgram } from '../cli/server-group.ts';
import { systemModelTime } from '../model/time.ts';
import { wordsOf } from './called-as.ts';
import { removeOtherVersions } from './other-versions.ts';
import { DamagedPack, type Pack } from './pack.ts';
import { NoPlace, unpackSomewhere } from './places.ts';

try {
  const unpacked = unpackSomewhere(readPack(), process.env);
  removeOtherVersions(unpacked, systemModelTime.nowMs());
  // In the folder of the user's alone, also where there is no cache, and for as long as this version stays. The command finds it enabled.
  keepCompiledCode(join(unpacked.folder, '.compiled'));
  run(unpacked.folder);
} catch (error) {
  if (!(error instanceof NoPlace || error instanceof DamagedPack)) throw error;
  process.stderr.write(`tanzanite: ${error.message}\n`);
  process.exitCode = 2;
}

function readPack(): Pack {
  try {
    const { version, files } = JSON.parse(getAsset('list', 'utf8')) as Omit<Pack, 'contents'>;
    return { version, files, contents };
  } catch {
    throw new DamagedPack('the list of its files');
  }
}

function contents(): Buffer {
  try {
    return brotliDecompressSync(getRawAsset('contents') as ArrayBuffer);
  } catch {
    throw new DamagedPack('the package');
  }
}

/** A program is told of itself as by Node: its file, then its words. */
function run(folder: string): void {
  const [, calledAs = '', ...words] = process.argv;
  const [file = '', ...rest] =
    process.env[runsProgram] === '1' ? words : [join(folder, 'dist/cli.js'), ...wordsOf(calledAs, words)];
  delete process.env[runsProgram];
  process.argv = [process.execPath, file, ...rest];
  // An executable's own program can only import what Node brings along; one in a file can import any.
  const load = createRequire(folder)(join(folder, 'load.cjs')) as (url: string) => Promise<unknown>;
  void load(pathToFileURL(file).href);
}
