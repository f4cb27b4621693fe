import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { dayMs } from '../settings/setting.ts';
import { askEmulator, type ControlAddress } from './ask-emulator.ts';
import type { CommandContext } from './command-context.ts';
import {
  addEmulatorFlags,
  type EmulatorFlags,
  emulatorEnvironmentHelp,
  readEmulatorAddress,
} from './emulator-flags.ts';
import { NoAnswer } from './exit-codes.ts';
import { flagOf } from './setting-flags.ts';
import { print } from './standard-output.ts';

const help = `
The exit code is 0 once the emulator accepts requests, and 1 if that takes
longer than --timeout.

Example:
  tanzanite start --inMemoryPersistence & tanzanite wait && npm test

Environment:
${emulatorEnvironmentHelp}`;

const timeout = {
  kind: 'whole number',
  flag: '--timeout <seconds>',
  unit: 'ms',
  min: 0,
  max: dayMs,
  default: 30_000,
  help: 'give up after this time',
} as const;

interface WaitFlags extends EmulatorFlags {
  /** Milliseconds. */
  readonly timeout: number;
}

/** `tanzanite wait` */
export function addWait(command: Command, { environment }: CommandContext): void {
  addEmulatorFlags(command)
    .summary('wait until an emulator is ready')
    .description('wait until an emulator is ready')
    .addOption(flagOf(timeout))
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help)
    .action((flags: WaitFlags) => waitForEmulator(readEmulatorAddress(flags, environment), flags.timeout));
}

const pauseMs = 100;
/** The minimum time for one attempt, even when the total time is nearly over: the machine may be busy. */
const attemptMsMin = 500;
/** A request that hangs is sent again after this time. */
const attemptMsMax = 2_000;

/** Throws NoAnswer, with the reason why the last attempt failed, when the time is up. */
async function waitForEmulator(emulator: ControlAddress, timeoutMs: number): Promise<void> {
  const startedMs = performance.now();
  const passedMs = (): number => performance.now() - startedMs;
  for (;;) {
    const attemptMs = Math.min(Math.max(timeoutMs - passedMs(), attemptMsMin), attemptMsMax);
    const reason = await whyNotReady(emulator, Math.ceil(attemptMs));
    if (reason === undefined) break;
    if (passedMs() + pauseMs > timeoutMs) throw new NoAnswer(`not ready after ${timeoutMs / 1000} s: ${reason}`);
    await sleep(pauseMs);
  }
  print(`ready: ${emulator.url}, after ${(passedMs() / 1000).toFixed(1)} s\n`);
}

async function whyNotReady(emulator: ControlAddress, timeoutMs: number): Promise<string | undefined> {
  try {
    await askEmulator({ method: 'GET', path: 'ready', expects: 'status', timeoutMs }, emulator);
    return undefined;
  } catch (error) {
    if (error instanceof NoAnswer) return error.message;
    throw error;
  }
}
