import { Command } from 'commander';
import type { StartCommandOptions } from '../../../src/cli/command-context.ts';
import { addStart } from '../../../src/cli/start.ts';

export interface ReadStart {
  readonly options: StartCommandOptions;
  readonly notices: readonly string[];
}

/**
 * Returns the settings and the notices of a start with these flags, without starting anything. Rejects if the flags are
 * refused.
 */
export async function readStart(...flags: string[]): Promise<ReadStart> {
  const notices: string[] = [];
  let options: StartCommandOptions | undefined;
  const command = new Command().exitOverride();
  addStart(command, {
    environment: {},
    notice: (line) => notices.push(line),
    start: async (read) => {
      options = read;
    },
  });
  await command.configureOutput({ writeErr: () => undefined }).parseAsync(flags, { from: 'user' });
  if (options === undefined) throw new Error(`${flags.join(' ')} starts nothing`);
  return { options, notices };
}
