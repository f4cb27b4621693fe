import type { Command } from 'commander';
import { askEmulator, type ControlAddress } from './ask-emulator.ts';
import type { CommandContext } from './command-context.ts';
import {
  addEmulatorFlags,
  type EmulatorFlags,
  emulatorEnvironmentHelp,
  readEmulatorAddress,
} from './emulator-flags.ts';
import { exitCodeUnanswered, NoAnswer } from './exit-codes.ts';
import { print } from './standard-output.ts';

const help = `
The exit code is 0 if the emulator answers and can read its data, and otherwise
1. A container can use this command as its health check.

Environment:
${emulatorEnvironmentHelp}`;

interface HealthFlags extends EmulatorFlags {
  readonly quiet?: true;
}

/** `tanzanite health` */
export function addHealth(command: Command, { environment }: CommandContext): void {
  addEmulatorFlags(command)
    .summary('check whether a running emulator is healthy')
    .description('check whether a running emulator answers and can read its data')
    .option('-q, --quiet', 'print nothing')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help)
    .action((flags: HealthFlags) => checkHealth(readEmulatorAddress(flags, environment), flags.quiet ?? false));
}

const healthTimeoutMs = 5_000;

/** Throws NoAnswer if the emulator is not healthy; a quiet check only sets the exit code. */
async function checkHealth(emulator: ControlAddress, isQuiet: boolean): Promise<void> {
  try {
    const question = { method: 'GET', path: 'health', expects: 'uptimeSeconds', timeoutMs: healthTimeoutMs } as const;
    const { version, uptimeSeconds } = await askEmulator(question, emulator);
    if (!isQuiet) print(`healthy: ${emulator.url}, version ${version}, up ${uptimeSeconds} s\n`);
  } catch (error) {
    if (!isQuiet || !(error instanceof NoAnswer)) throw error;
    process.exitCode = exitCodeUnanswered;
  }
}
