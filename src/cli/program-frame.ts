import { Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { addConnectionString } from './add-connection-string.ts';
import { addHealth } from './add-health.ts';
import { addReset } from './add-reset.ts';
import { addTop } from './add-top.ts';
import { addWait } from './add-wait.ts';
import type { Environment } from './environment.ts';
import { exitCodesHelp, exitCodeUnusable } from './exit-codes.ts';

/** In the order of the help. */
const lightCommands = {
  wait: addWait,
  health: addHealth,
  'connection-string': addConnectionString,
  top: addTop,
  reset: addReset,
};

/** Whether the first word is a command that needs no emulator of its own, so that the frame is the whole program. */
export function isLightCommand(word: string | undefined): boolean {
  return word !== undefined && Object.hasOwn(lightCommands, word);
}

/** The command line without what starts or explains: it loads nothing of an emulator. */
export function createFrame(environment: Environment): Command {
  return addLightCommands(createRoot(), environment);
}

export function addLightCommands(program: Command, environment: Environment): Command {
  for (const [name, add] of Object.entries(lightCommands)) add(program.command(name), environment);
  return program;
}

/** The command line without its commands. */
export function createRoot(): Command {
  return (
    new Command('tanzanite')
      .description('Emulator of the Azure Table service')
      .usage('[command] [options]')
      // Every command has flags: that need not be said of each.
      .configureHelp({
        subcommandTerm: (command) =>
          [command.name(), ...command.registeredArguments.map((argument) => `<${argument.name()}>`)].join(' '),
      })
      .version(manifest.version, '-v, --version', 'print the version')
      .helpOption('-h, --help', 'print this help')
      .helpCommand(false)
      .showHelpAfterError('(tanzanite --help lists the flags)')
      .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : exitCodeUnusable))
      .addHelpText('after', help)
  );
}

const help = `
Without a command it starts, and takes the flags of start.

Examples:
  tanzanite                                      on port 10002, its data in
                                                 ./tanzanite-data
  tanzanite --inMemoryPersistence --tablePort 0  nothing on disk, any free port
  tanzanite wait && npm test                     once it takes requests
  eval "$(tanzanite connection-string --export)" for what is started next
  tanzanite explain "Age gt 5"                   what a query costs
  source <(tanzanite completion bash)            completes commands and flags
${exitCodesHelp}

tanzanite <command> --help says more of a command. A running emulator documents
its REST API at http://127.0.0.1:10002/_emulator/docs`;
