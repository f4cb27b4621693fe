import type { Command } from 'commander';
import {
  addEmulatorFlags,
  type EmulatorFlags,
  emulatorEnvironmentHelp,
  readEmulatorAddress,
} from './emulator-flags.ts';
import type { Environment } from './environment.ts';
import { healthCommand } from './health-command.ts';

interface HealthFlags extends EmulatorFlags {
  readonly quiet?: true;
}

const help = `
The exit code is 0 when the emulator answers and can read its data, and 1 when
not: fit for the health check of a container.

Environment:
${emulatorEnvironmentHelp}`;

/** `tanzanite health` */
export function addHealth(command: Command, environment: Environment): Command {
  return addEmulatorFlags(command)
    .summary('say whether a running emulator is healthy')
    .description('say whether a running emulator is healthy')
    .option('-q, --quiet', 'print nothing')
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError('(tanzanite health --help lists the flags)')
    .addHelpText('after', help)
    .action((flags: HealthFlags) =>
      healthCommand({ emulator: readEmulatorAddress(flags, environment), isQuiet: flags.quiet ?? false }),
    );
}
