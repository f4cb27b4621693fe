// Reads a command line of the image. The command line may begin with the name of a program, as in Azurite's image.

import { basename } from 'node:path';

const programs: readonly string[] = ['tanzanite', 'azurite', 'azurite-blob', 'azurite-queue', 'azurite-table'];

interface Called {
  /** The name by which the image was called. */
  readonly program?: string;
  /** Whether the image holds Azurite. */
  readonly hasAzurite?: boolean;
}

/**
 * Returns the arguments for the package's command line. The arguments begin with the name of the called program if this
 * program serves blobs or queues: `azurite-blob`, `azurite-queue` and, in an image that holds Azurite, `azurite`.
 */
export function readCalledWords(
  words: readonly string[],
  { program = 'tanzanite', hasAzurite = false }: Called = {},
): readonly string[] {
  const [first] = words;
  if (first !== undefined && programs.includes(first)) {
    return readCalledWords(words.slice(1), { program: first, hasAzurite });
  }
  if (first !== undefined && !first.startsWith('-')) return words;
  const isNamed = program === 'azurite-blob' || program === 'azurite-queue' || (program === 'azurite' && hasAzurite);
  return isNamed ? [program, ...words] : words;
}

/**
 * Reads the command line of a running process as `readCalledWords` does, but ignores the words before the name of a
 * program, such as `docker-init --`.
 */
export function readProcessWords(line: readonly string[], hasAzurite = false): readonly string[] {
  const at = line.findIndex((word) => programs.includes(basename(word)));
  return at === -1 ? [] : readCalledWords(line.slice(at + 1), { program: basename(line[at] ?? ''), hasAzurite });
}
