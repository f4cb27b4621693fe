import { Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { addExplain } from './add-explain.ts';
import type { Environment } from './environment.ts';
import { exitCodeUnusable } from './exit-codes.ts';
import { addFlags } from './flags.ts';
import { readStartOptions } from './read-start-options.ts';
import type { StartOptions } from './start-options.ts';

export interface ProgramOptions {
  readonly start: (options: StartOptions) => Promise<void>;
  readonly environment: Environment;
  /** Told of what was taken but does nothing. */
  readonly notice: (line: string) => void;
}

/** The command line. */
export function createProgram({ start, environment, notice }: ProgramOptions): Command {
  const program = new Command('tanzanite')
    .description('Emulator of the Azure Table service')
    .version(manifest.version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .showHelpAfterError('(tanzanite --help lists the flags)')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : exitCodeUnusable));
  const startCommand = addFlags(program.command('start', { isDefault: true }))
    .description('start the table endpoint; what tanzanite does without a command')
    .showHelpAfterError('(tanzanite --help lists the flags)')
    .helpOption('-h, --help', 'print this help')
    .action((flags) => start(readStartOptions(flags, { environment, notice })));
  addExplain(program.command('explain'), environment);
  program.addHelpText('after', () => `\nFlags of start:\n${flagList(startCommand)}\n${environmentHelp}`);
  startCommand.addHelpText('after', environmentHelp);
  return program;
}

function flagList(command: Command): string {
  const help = command.createHelp();
  const width = help.longestOptionTermLength(command, help);
  const lines = help.visibleOptions(command).map((option) => {
    return `  ${help.optionTerm(option).padEnd(width)}  ${help.optionDescription(option)}`;
  });
  return lines.join('\n');
}

const environmentHelp = `
Environment:
  AZURITE_ACCOUNTS               accounts and keys: account1:key1[:key2];account2:key1… (keys base64);
                                 default: devstoreaccount1 with its well-known key
  AZURITE_SKIP_API_VERSION_CHECK true: as --skipApiVersionCheck
  TANZANITE_CONTROL_TOKEN        as --control-token, and out of the list of processes`;
