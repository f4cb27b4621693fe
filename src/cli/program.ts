import type { Command } from 'commander';
import { addCompletion } from './add-completion.ts';
import { addExplain } from './add-explain.ts';
import type { Environment } from './environment.ts';
import { exitCodesHelp } from './exit-codes.ts';
import { addFlags } from './flags.ts';
import { nameRightFlag } from './name-right-flag.ts';
import { addLightCommands, createRoot } from './program-frame.ts';
import { readStartOptions } from './read-start-options.ts';
import type { StartOptions } from './start-options.ts';
import { UnusableOption } from './unusable-option.ts';

export interface ProgramOptions {
  readonly start: (options: StartOptions) => Promise<void>;
  readonly environment: Environment;
  /** Told of what was taken but does nothing. */
  readonly notice: (line: string) => void;
}

/** The command line. */
export function createProgram({ start, environment, notice }: ProgramOptions): Command {
  const program = createRoot();
  addFlags(program.command('start', { isDefault: true }))
    .summary('start the table endpoint')
    .description('start the table endpoint; what tanzanite does without a command')
    .showHelpAfterError('(tanzanite start --help lists the flags)')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help)
    .configureOutput({ outputError: (complaint, write) => write(nameRightFlag(complaint)) })
    // Refused below, where the word is known: commander only counts them.
    .allowExcessArguments()
    .action((flags, { args }) => {
      refuseWords(args);
      return start(readStartOptions(flags, { environment, notice }));
    });
  addLightCommands(program, environment);
  addExplain(program.command('explain'), environment);
  addCompletion(program.command('completion'), program);
  return program;
}

/** Throws UnusableOption. */
function refuseWords([word]: readonly string[]): void {
  if (word === undefined) return;
  throw new UnusableOption(
    `start takes flags alone, not the word ${word}; a command stands first. tanzanite start --help lists the flags`,
  );
}

const help = `
Environment:
  AZURITE_ACCOUNTS                 accounts and their keys in base64, such as
                                   account1:key1[:key2];account2:key1…; without
                                   it devstoreaccount1 with its well-known key
  AZURITE_SKIP_API_VERSION_CHECK   true: as --skipApiVersionCheck
  TANZANITE_CONTROL_TOKEN          as --control-token, and out of the list of
                                   processes

Examples:
  tanzanite start --location ./data --durability power
  tanzanite start --inMemoryPersistence --silent --accounts any
  tanzanite start --throttle enforce --partition-target 500
  tanzanite start --tableHost 0.0.0.0 --cert tls.pem --key tls.key
${exitCodesHelp}`;
