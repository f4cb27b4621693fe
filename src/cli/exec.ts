// `tanzanite exec`: its flags and its help. The emulator is loaded only when the command runs.

import { type Command, Option } from 'commander';
import { severities } from '../advisor/report.ts';
import type { CommandContext } from './command-context.ts';
import { enableCompileCache } from './compile-cache.ts';
import { addEmulatorForCommandFlags, type ExecFlags, refuseNames } from './exec-flags.ts';

const help = `
The emulator is in memory and listens on a free port of this machine only.
The command finds its address in the variables below. Other settings come from
variables and from tanzanite.json, as for start, but settings of the address,
the data and the log have no effect. The advisor's findings are printed on
standard error.

The exit code is that of the command. If a signal ended the command, the exit
code is 128 plus the number of the signal. It is 127 if the command is not
found, 126 if it cannot be run, and 2 if the emulator does not start. It is 3 if
the command ends with 0 and there are findings at or above --fail-on. Ctrl-C,
SIGTERM and SIGHUP are passed on to the command. If it has not ended ten seconds
later, it and the processes that it started are killed.

Examples:
  tanzanite exec -- npm test
  tanzanite exec --seed ./data --fail-on warning -- pytest
  tanzanite exec --faults rules.json -- node import.mjs
  tanzanite exec --env MyStorage -- sh -c 'go test ./... && go vet ./...'

Environment of the command:
  AZURE_STORAGE_CONNECTION_STRING  the connection string of the first account
  AzureWebJobsStorage              the same
  TANZANITE_URL                    the address, http://127.0.0.1:<port>`;

/** `tanzanite exec -- <command>` */
export function addExec(command: Command, context: CommandContext): void {
  addEmulatorForCommandFlags(command)
    .summary('run a command with its own emulator')
    .description('run a command with its own emulator, and stop the emulator when the command ends')
    .usage('[options] -- <command...>')
    .argument('<command...>', 'the program and its arguments; no shell reads them')
    .option('--faults <chaos|file>', 'stage the faults in this JSON file of rules; "chaos" stages a moderate mix')
    .option('--fault-seed <number>', 'use this seed for the random choices of faults')
    .option('--record <file>', 'append requests and responses, without secrets, to this file, for tanzanite parity')
    .addOption(
      new Option('--fail-on <severity>', 'exit with 3 if a finding is at least this severe').choices(severities),
    )
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help)
    .action(async (words: readonly string[], flags: ExecFlags) => {
      refuseNames(flags.env);
      enableCompileCache(process.env);
      const { execCommand } = await import('./exec-command.ts');
      await execCommand(words, flags, context);
    });
}
