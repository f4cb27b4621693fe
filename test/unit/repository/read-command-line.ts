import type { StartCommandOptions } from '../../../src/cli/command-context.ts';
import { createProgram } from '../../../src/cli/program.ts';
import { readCalledWords } from '../../../src/image/called-words.ts';

/**
 * Returns the settings of a start with these arguments, as the parser of the command line reads them. Starts nothing.
 */
export async function readCommandLine(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<StartCommandOptions> {
  let read: StartCommandOptions | undefined;
  const start = async (options: StartCommandOptions): Promise<void> => {
    read = options;
  };
  const program = await createProgram({ start, environment, notice: () => undefined });
  await program.parseAsync(words, { from: 'user' });
  if (read === undefined) throw new Error(`${words.join(' ')} starts nothing`);
  return read;
}

/** The settings of a container, by the arguments that follow the name of the image. */
export const readImageCommandLine: typeof readCommandLine = (words, environment = {}) =>
  readCommandLine(readCalledWords(words), { ...environment, TANZANITE_IMAGE: '/data' });
