// The content of the executable: the files of the package as one compressed text, and a list with the checksum of each
// file.

import { createHash } from 'node:crypto';

/** A file of the package. */
export interface PackedFile {
  /** Its path in the package, with slashes. */
  readonly path: string;
  readonly bytes: number;
  /** SHA-256 of its content, in hexadecimal digits. */
  readonly sha256: string;
}

export interface Pack {
  readonly version: string;
  readonly files: readonly PackedFile[];
  /**
   * Returns the contents of the files, one after the other. A call takes about 50 ms, so the function is called only if
   * files must be unpacked.
   */
  readonly contents: () => Buffer;
}

/** The name of the folder for a pack. Two packs have the same name only if all their files are the same. */
export function folderNameOf({ version, files }: Pack): string {
  return `${version}-${digestOf(JSON.stringify(files)).slice(0, 16)}`;
}

export function digestOf(contents: Buffer | string): string {
  return createHash('sha256').update(contents).digest('hex');
}

/** Each file with its content. Throws if the contents do not match the list: the executable is damaged. */
export function* filesIn(pack: Pack): Generator<{ readonly file: PackedFile; readonly contents: Buffer }> {
  const all = pack.contents();
  let at = 0;
  for (const file of pack.files) {
    const contents = all.subarray(at, at + file.bytes);
    if (digestOf(contents) !== file.sha256) throw new DamagedPack(file.path);
    yield { file, contents };
    at += file.bytes;
  }
}

export class DamagedPack extends Error {
  constructor(path: string) {
    super(
      `the executable is damaged: its file ${path} is not what was packed. Download it again and compare its checksum.`,
    );
  }
}
