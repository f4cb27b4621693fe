import { setTimeout as sleep } from 'node:timers/promises';
import { askEmulator, type ControlAddress } from './ask-emulator.ts';
import { NoAnswer } from './no-answer.ts';

export interface WaitOptions {
  readonly emulator: ControlAddress;
  readonly timeoutMs: number;
}

const pauseMs = 100;
/** No try gets less, be the time over or not: a machine may be busy. */
const tryTimeoutMsMin = 500;
/** Of one try: what hangs is asked again. */
const tryTimeoutMs = 2_000;

/** Returns once an emulator is ready, and prints that it is. Throws NoAnswer, with the last reason, when the time is over. */
export async function waitCommand({ emulator, timeoutMs }: WaitOptions): Promise<void> {
  const startedMs = performance.now();
  const passedMs = (): number => performance.now() - startedMs;
  for (;;) {
    const reason = await whyNotReady(
      emulator,
      Math.min(Math.max(timeoutMs - passedMs(), tryTimeoutMsMin), tryTimeoutMs),
    );
    if (reason === undefined) break;
    if (passedMs() + pauseMs > timeoutMs) throw new NoAnswer(`not ready after ${timeoutMs / 1000} s: ${reason}`);
    await sleep(pauseMs);
  }
  process.stdout.write(`ready: ${emulator.url}, after ${(passedMs() / 1000).toFixed(1)} s\n`);
}

async function whyNotReady(emulator: ControlAddress, timeoutMs: number): Promise<string | undefined> {
  try {
    await askEmulator({ method: 'GET', room: 'ready', expects: 'status', timeoutMs: Math.ceil(timeoutMs) }, emulator);
    return undefined;
  } catch (error) {
    if (error instanceof NoAnswer) return error.message;
    throw error;
  }
}
