import { parse } from 'node:path';

/**
 * The words to put in front of a command line if the program is called by one of Azurite's names. With these words, the
 * program takes Azurite's flags. Evidence: peers (Azurite's `bin`).
 */
const firstWords: Readonly<Record<string, readonly string[]>> = {
  azurite: ['azurite'],
  'azurite-table': ['start'],
  // These names are not commands, so the start fails. The error names the command that starts blobs and queues.
  'azurite-blob': ['azurite-blob'],
  'azurite-queue': ['azurite-queue'],
};

/** The words of a command line, given the path by which the program was called: a link or a copy may have another name. */
export function wordsOf(path: string, words: readonly string[]): readonly string[] {
  return [...(firstWords[parse(path).name.toLowerCase()] ?? []), ...words];
}
