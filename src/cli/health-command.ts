import { askEmulator, type ControlAddress } from './ask-emulator.ts';
import { exitCodeUnanswered } from './exit-codes.ts';
import { NoAnswer } from './no-answer.ts';

export interface HealthOptions {
  readonly emulator: ControlAddress;
  readonly isQuiet: boolean;
}

/** Who takes longer is not healthy. */
const healthTimeoutMs = 5_000;

/** Prints that an emulator is healthy. Throws NoAnswer when it is not; where it is to be quiet, only the exit code says so. */
export async function healthCommand({ emulator, isQuiet }: HealthOptions): Promise<void> {
  try {
    const question = { method: 'GET', room: 'health', expects: 'uptimeSeconds', timeoutMs: healthTimeoutMs } as const;
    const { version, uptimeSeconds } = await askEmulator(question, emulator);
    if (!isQuiet) process.stdout.write(`healthy: ${emulator.url}, version ${version}, up ${uptimeSeconds} s\n`);
  } catch (error) {
    if (!isQuiet || !(error instanceof NoAnswer)) throw error;
    process.exitCode = exitCodeUnanswered;
  }
}
