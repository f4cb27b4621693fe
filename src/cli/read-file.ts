import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { UnusableOption } from './exit-codes.ts';

/** The content of a file that a setting names; `place` is the setting and the file. Throws UnusableOption. */
export const readFile = (place: string, file: string): Buffer => readOrRefuse(place, () => readRegularFile(file));

export function readOrRefuse<Content>(place: string, read: () => Content): Content {
  try {
    return read();
  } catch (error) {
    throw new UnusableOption(`${place} cannot be read: ${error instanceof Error ? error.message : error}.`);
  }
}

function readRegularFile(file: string): Buffer {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer. Windows has no such flag, and no such pipes.
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error('it is not a regular file');
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
