import type { Command } from 'commander';
import {
  addControlFlags,
  type ControlFlags,
  emulatorEnvironmentHelp,
  readControlAddress,
  tokenEnvironmentHelp,
} from './emulator-flags.ts';
import type { Environment } from './environment.ts';
import { dayInSeconds, factor } from './numbers.ts';
import { topCommand } from './top-command.ts';

interface TopFlags extends ControlFlags {
  readonly json?: true;
  readonly once?: true;
  readonly interval: number;
}

const help = `
Loads are averages of the last ten seconds. Into a file or a pipe it prints one
frame. Ends with Ctrl-C; the exit code is 1 when the emulator has no answer.

Environment:
${emulatorEnvironmentHelp}
${tokenEnvironmentHelp}`;

/** `tanzanite top` */
export function addTop(command: Command, environment: Environment): Command {
  return addControlFlags(command)
    .summary('show the load against the targets of the service')
    .description('show the load on a running emulator against the targets of the service')
    .option('--once', 'print one frame and end')
    .option('--json', 'print the report as JSON and end')
    .option('--interval <seconds>', 'how often to look', factor('number of seconds', dayInSeconds), 1)
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError('(tanzanite top --help lists the flags)')
    .addHelpText('after', help)
    .action(({ json, once, interval, ...flags }: TopFlags) => {
      const emulator = readControlAddress(flags, environment);
      return topCommand({ emulator, isJson: json ?? false, isOnce: once ?? false, intervalMs: interval * 1000 });
    });
}
