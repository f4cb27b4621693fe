// When a request is sent again, and after how long. Every request of a copy may be repeated: it reads, or leaves what it left
// the first time.

import type { MachineTime } from '../../model/time.ts';
import { ResponseTooLong } from '../http-exchange.ts';
import { pauseMsMax, Unreachable } from '../send-request.ts';
import { NoTableService, ServiceRefusal } from '../table-client.ts';

export interface BackOff {
  readonly time: Pick<MachineTime, 'after'>;
  /** Checked before each attempt. */
  readonly signal: AbortSignal;
  /** Whether the other side has answered before: if not, an address is more likely wrong than a connection interrupted. */
  readonly hasAnswered: () => boolean;
  readonly onRepeat: () => void;
}

/** Ten pauses are between one and two minutes and a half. */
const attemptsMax = 11;
/** As the service's own clients begin. */
const firstPauseMs = 400;
const attemptsUnreachableMax = 6;

/** Runs `attempt` until it succeeds or fails for good. Throws its last error, and the reason of the signal. */
export async function repeatWhileBusy<Value>(attempt: () => Promise<Value>, options: BackOff): Promise<Value> {
  for (let count = 1; ; count++) {
    options.signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (!isWorthRepeating(error, count, options)) throw error;
      options.onRepeat();
      await pause(pauseMsOf(error, count), options);
    }
  }
}

function isWorthRepeating(error: unknown, count: number, { hasAnswered }: BackOff): boolean {
  if (error instanceof Unreachable && error.cause instanceof ResponseTooLong) return false;
  if (error instanceof Unreachable) return hasAnswered() && count < attemptsUnreachableMax;
  if (!(error instanceof ServiceRefusal || error instanceof NoTableService) || count >= attemptsMax) return false;
  if (error instanceof ServiceRefusal && error.code === 'TableBeingDeleted') return true;
  const { status } = error;
  // 429 is the answer of Cosmos DB to too many requests; 501 stays what it is.
  return status === 408 || status === 429 || (status >= 500 && status !== 501);
}

/** Twice as long each time, by chance up to half of it less, so that many requests do not come back together. */
function pauseMsOf(error: unknown, count: number): number {
  const asked = error instanceof ServiceRefusal ? error.retryAfterMs : undefined;
  const pauseMs = asked ?? firstPauseMs * 2 ** (count - 1) * (1 - Math.random() / 2);
  return Math.min(pauseMs, pauseMsMax);
}

/** Ends early when the signal is raised. */
function pause(delayMs: number, { time, signal }: BackOff): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = time.after(delayMs, end);
    signal.addEventListener('abort', end);
  });
}
