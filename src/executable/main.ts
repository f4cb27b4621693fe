// The program inside the single executable. Unpacks the package once, and then runs the command of the package. Source:
// Node.js, Single executable applications.

import { createRequire } from 'node:module';
import { isAbsolute, join } from 'node:path';
import { getAsset, getRawAsset } from 'node:sea';
import { pathToFileURL } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { keepCompiledCode } from '../cli/compile-cache.ts';
import { imageVariable, runsProgram, volumeIn } from '../cli/process-variables.ts';
import { withOwnUmask } from '../cli/trusted-path.ts';
import { escapeControls } from '../model/printable-text.ts';
import { systemModelTime } from '../model/time.ts';
import { wordsOf } from './called-as.ts';
import { removeOtherVersions } from './other-versions.ts';
import { DamagedPack, type Pack } from './pack.ts';
import { findInstalled, NoPlace, unpackSomewhere } from './places.ts';

try {
  run(withOwnUmask(() => folderOf(readPack())));
} catch (error) {
  if (!(error instanceof NoPlace || error instanceof DamagedPack)) throw error;
  // A variable may name a folder with characters that a terminal interprets.
  process.stderr.write(`tanzanite: ${escapeControls(error.message)}\n`);
  process.exitCode = 2;
}

interface Found {
  readonly folder: string;
  /** Whether the folder is next to the executable, as in the image and in packages of distributions. */
  readonly isInstalled: boolean;
}

function folderOf(pack: Pack): Found {
  const installed = findInstalled(pack, process.execPath);
  if (installed !== undefined) return { folder: installed, isInstalled: true };
  const unpacked = unpackSomewhere(pack, process.env);
  removeOtherVersions(unpacked, systemModelTime.nowMs());
  // The compile cache is in the folder of this version. That folder belongs only to the user, and is removed together
  // with this version. The compile cache is enabled here, before the command runs.
  keepCompiledCode(join(unpacked.folder, '.compiled'));
  return { folder: unpacked.folder, isInstalled: false };
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

function run(found: Found): void {
  const { folder } = found;
  const [, calledAs = '', ...words] = process.argv;
  const { file, line } = programOf(found, calledAs, words);
  delete process.env[runsProgram];
  process.argv = [process.execPath, ...line];
  // The program inside an executable can import only Node's own modules; a program in a file can import any.
  const load = createRequire(folder)(join(folder, 'load.cjs')) as (url: string) => Promise<unknown>;
  void load(pathToFileURL(file).href);
}

/** The program to run, and its command line. As under Node, the command line begins with the program's name. */
function programOf(
  { folder, isInstalled }: Found,
  calledAs: string,
  words: readonly string[],
): { readonly file: string; readonly line: readonly string[] } {
  const [program = ''] = words;
  // A server group sets the variable `runsProgram` and passes the absolute path of a program as the first word. If the
  // first word is not an absolute path, the variable was set by accident, and all words are the command line of
  // `tanzanite`.
  if (process.env[runsProgram] === '1' && isAbsolute(program)) return { file: program, line: words };
  // In the image, the image's own entry point runs, and reads `calledAs` itself. If the variable `imageVariable` is set
  // outside the image, it was set by accident. The variable is therefore deleted.
  const isImage = isInstalled && process.platform === 'linux' && volumeIn(process.env) !== undefined;
  if (isImage) return { file: join(folder, 'dist/image.js'), line: [calledAs, ...words] };
  delete process.env[imageVariable];
  const file = join(folder, 'dist/cli.js');
  return { file, line: [file, ...wordsOf(calledAs, words)] };
}
