import { parse } from 'node:path';

/**
 * The words to put in front of a command line if the program is called by one of Azurite's names. These words make the
 * program take Azurite's flags. Evidence: peers (Azurite's `bin`).
 */
const firstWords: Readonly<Record<string, readonly string[]>> = {
  azurite: ['azurite'],
  'azurite-table': ['start'],
  // These names are not commands, so the start fails. The error names the command that starts blobs and queues.
  'azurite-blob': ['azurite-blob'],
  'azurite-queue': ['azurite-queue'],
};

/**
 * Returns the words of a command line. `path` is the path by which the program was called. It may lead to a link or a
 * copy with another name.
 */
export function wordsOf(path: string, words: readonly string[]): readonly string[] {
  return [...(firstWords[parse(path).name.toLowerCase()] ?? []), ...words];
}
