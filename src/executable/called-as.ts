import { parse } from 'node:path';

/** Words that come first where the program is called by a name of Azurite's, whose flags it takes. Evidence: peers (Azurite's `bin`). */
const firstWords: Readonly<Record<string, readonly string[]>> = {
  azurite: ['azurite'],
  'azurite-table': ['start'],
  // Not commands: the answer says which one starts blobs and queues.
  'azurite-blob': ['azurite-blob'],
  'azurite-queue': ['azurite-queue'],
};

/** The words of a command line, given the path by which the program was called: a link or a copy may have another name. */
export function wordsOf(path: string, words: readonly string[]): readonly string[] {
  return [...(firstWords[parse(path).name.toLowerCase()] ?? []), ...words];
}
