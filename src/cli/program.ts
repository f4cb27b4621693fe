// The command line. Each command is a separate module, loaded on demand. A container runs `health` every few seconds, and
// must not load the emulator for that command.

import { type Argument, Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import type { AddCommand, CommandContext } from './command-context.ts';
import { refuseInOneLine } from './commander-refusals.ts';
import { exitCodesHelp, exitCodeUnusable } from './exit-codes.ts';
import { addOtherSpellings } from './setting-flags.ts';

const defaultCommand = 'start';

/** In the order of the help. */
const commands: Readonly<Record<string, () => Promise<AddCommand>>> = {
  start: async () => (await import('./start.ts')).addStart,
  settings: async () => (await import('./settings-command.ts')).addSettings,
  azurite: async () => (await import('./azurite-command.ts')).addAzurite,
  exec: async () => (await import('./exec.ts')).addExec,
  chaos: async () => (await import('./chaos.ts')).addChaos,
  wait: async () => (await import('./wait.ts')).addWait,
  health: async () => (await import('./health.ts')).addHealth,
  'connection-string': async () => (await import('./connection-string.ts')).addConnectionString,
  ca: async () => (await import('./certificate-authority.ts')).addCertificateAuthority,
  hosts: async () => (await import('./hosts.ts')).addHosts,
  env: async () => (await import('./env-command.ts')).addEnv,
  identity: async () => (await import('./identity-command.ts')).addIdentity,
  table: async () => (await import('./table-command.ts')).addTable,
  entity: async () => (await import('./entity-command.ts')).addEntity,
  copy: async () => (await import('./copy.ts')).addCopy,
  parity: async () => (await import('./parity.ts')).addParity,
  report: async () => (await import('./report.ts')).addReport,
  top: async () => (await import('./top.ts')).addTop,
  advise: async () => (await import('./advise.ts')).addAdvise,
  snapshot: async () => (await import('./snapshot-command.ts')).addSnapshot,
  seed: async () => (await import('./seed-command.ts')).addSeed,
  export: async () => (await import('./export-command.ts')).addExport,
  import: async () => (await import('./import-command.ts')).addImport,
  reset: async () => (await import('./reset.ts')).addReset,
  clock: async () => (await import('./clock-command.ts')).addClock,
  faults: async () => (await import('./faults-command.ts')).addFaults,
  store: async () => (await import('./store-command.ts')).addStore,
  explain: async () => (await import('./explain.ts')).addExplain,
  'simulate-keys': async () => (await import('./simulate-keys.ts')).addSimulateKeys,
  mcp: async () => (await import('./mcp-command.ts')).addMcp,
  capabilities: async () => (await import('./capabilities.ts')).addCapabilities,
  licences: async () => (await import('./licences.ts')).addLicences,
  completion: async () => (await import('./completion.ts')).addCompletion,
};

export const commandNames: readonly string[] = Object.keys(commands);

/** The program with the named commands, by default with all commands. */
export async function createProgram(context: CommandContext, names = commandNames): Promise<Command> {
  const program = createRoot();
  for (const [name, load] of Object.entries(commands).filter(([name]) => names.includes(name))) {
    const add = await load();
    const command = program.command(name, { isDefault: name === defaultCommand });
    add(command, context);
    for (const one of withSubcommands(command)) {
      addOtherSpellings(one);
      refuseInOneLine(one);
    }
  }
  return program;
}

const withSubcommands = (command: Command): Command[] => [command, ...command.commands.flatMap(withSubcommands)];

/**
 * Returns the names of the commands that these words need. The program's help and `completion` describe all commands,
 * so they need all of them.
 */
export function commandsNeeded(words: readonly string[]): readonly string[] {
  const [first] = words;
  if (first === 'completion') return commandNames;
  if (first !== undefined && commandNames.includes(first)) return [first];
  return words.some((word) => word === '-h' || word === '--help') ? commandNames : [defaultCommand];
}

const argumentTerm = (argument: Argument): string =>
  argument.required ? `<${argument.name()}>` : `[${argument.name()}]`;

function createRoot(): Command {
  return (
    new Command('tanzanite')
      .description('Emulator of the Azure Table service')
      .usage('[command] [options]')
      // Every command has flags, so the list of commands does not repeat `[options]`.
      .configureHelp({
        subcommandTerm: (command) => [command.name(), ...command.registeredArguments.map(argumentTerm)].join(' '),
      })
      .version(manifest.version, '-v, --version', 'print the version')
      .helpOption('-h, --help', 'print this help')
      .helpCommand(false)
      .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : exitCodeUnusable))
      .addHelpText('after', help)
  );
}

const help = `
Without a command, tanzanite starts the emulator and takes the flags of start.

Examples:
  tanzanite                                      listen on port 10002, keep the
                                                 data in ./tanzanite-data
  tanzanite --inMemoryPersistence --tablePort 0  use memory and any free port
  tanzanite exec -- npm test                     run tests with their own
                                                 emulator
  tanzanite chaos -- npm test                    which failures do they survive?
  tanzanite wait && npm test                     wait for an emulator first
  eval "$(tanzanite connection-string --export)" let other programs find it
  tanzanite entity query People "Age gt 5"       print what a table holds
  tanzanite explain "Age gt 5"                   explain what a query costs
  tanzanite settings                             what is in force, and why
  source <(tanzanite completion bash)            complete commands and flags
${exitCodesHelp}

tanzanite <command> --help describes a command. A running emulator shows its
data and traffic at http://127.0.0.1:10002/_emulator/console, and documents its
REST API at http://127.0.0.1:10002/_emulator/docs`;
