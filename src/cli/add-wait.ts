import { type Command, InvalidArgumentError } from 'commander';
import {
  addEmulatorFlags,
  type EmulatorFlags,
  emulatorEnvironmentHelp,
  readEmulatorAddress,
} from './emulator-flags.ts';
import type { Environment } from './environment.ts';
import { waitCommand } from './wait-command.ts';

interface WaitFlags extends EmulatorFlags {
  readonly timeout: number;
}

const timeoutSecondsDefault = 30;
const timeoutSecondsMax = 86_400;

const help = `
The exit code is 0 once the emulator takes requests, and 1 when the time is
over.

Example:
  tanzanite start --inMemoryPersistence & tanzanite wait && npm test

Environment:
${emulatorEnvironmentHelp}`;

/** `tanzanite wait` */
export function addWait(command: Command, environment: Environment): Command {
  return addEmulatorFlags(command)
    .summary('wait until an emulator is ready')
    .description('wait until an emulator is ready')
    .option('--timeout <seconds>', 'how long to wait at most', readSeconds, timeoutSecondsDefault)
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError('(tanzanite wait --help lists the flags)')
    .addHelpText('after', help)
    .action((flags: WaitFlags) =>
      waitCommand({ emulator: readEmulatorAddress(flags, environment), timeoutMs: flags.timeout * 1000 }),
    );
}

function readSeconds(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= timeoutSecondsMax) return Number(text);
  throw new InvalidArgumentError(`A number of seconds is 0 to ${timeoutSecondsMax}.`);
}
