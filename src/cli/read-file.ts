import { readKeyFile } from '../auth/key-file.ts';
import { UnusableOption } from './exit-codes.ts';

/** The content of a file that a setting names; `place` is the setting and the file. Throws UnusableOption. */
export const readFile = (place: string, file: string): Buffer => readFileOrRefuse(place, () => readKeyFile(file));

export function readFileOrRefuse<Content>(place: string, read: () => Content): Content {
  try {
    return read();
  } catch (error) {
    throw new UnusableOption(`${place} cannot be read: ${error instanceof Error ? error.message : error}.`);
  }
}
