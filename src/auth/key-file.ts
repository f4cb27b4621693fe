import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** Enough for thousands of accounts or certificates. */
const fileBytesMax = 1_048_576;

/** The content of a file of keys. Throws an Error if it cannot be read, is not a regular file or is too large. */
export const readKeyFile = (file: string): Buffer => readGuardedFile(file).content;

/** Reads a file as `readKeyFile` does, and says whether only root may write it. */
export function readGuardedFile(file: string): { readonly content: Buffer; readonly isRootOnly: boolean } {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer. Windows has neither this flag nor such pipes.
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile()) throw new Error('it is not a regular file');
    if (status.size > fileBytesMax) throw new Error(`it is larger than ${fileBytesMax} bytes`);
    return {
      content: readBytes(descriptor, status.size),
      isRootOnly: status.uid === 0 && (status.mode & writableByOthers) === 0,
    };
  } finally {
    closeSync(descriptor);
  }
}

/** Writable by the group or by all. */
const writableByOthers = constants.S_IWGRP | constants.S_IWOTH;

function readBytes(descriptor: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  let length = 0;
  for (let read = -1; read !== 0 && length < size; length += read) {
    read = readSync(descriptor, bytes, length, size - length, null);
  }
  return bytes.subarray(0, length);
}
