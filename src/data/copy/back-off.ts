// Decides whether a request is sent again, and after which pause. Every request of a copy may be repeated: a read
// changes nothing, and a repeated write has the same result.

import type { MachineTime } from '../../model/time.ts';
import { ResponseTooLong } from '../http-exchange.ts';
import { pauseMsMax, Unreachable } from '../send-request.ts';
import { NoTableService, ServiceRefusal } from '../table-client.ts';

export interface BackOff {
  readonly time: Pick<MachineTime, 'after'>;
  /** Checked before each attempt. */
  readonly signal: AbortSignal;
  /**
   * Whether the other side has answered before. If it has not, the address is probably wrong, and fewer attempts are
   * made.
   */
  readonly hasAnswered: () => boolean;
  readonly onRepeat: () => void;
}

/** The ten pauses add up to between one and two and a half minutes. */
const attemptsMax = 11;
/** The first pause of the Azure SDKs. */
const firstPauseMs = 400;
const attemptsUnreachableMax = 6;

/** Runs `attempt` until it succeeds or fails permanently. Throws its last error, or the signal's reason. */
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
  // Cosmos DB answers 429 to too many requests. 501 is permanent.
  return status === 408 || status === 429 || (status >= 500 && status !== 501);
}

/**
 * Returns the pause that the service asks for. If the service asks for none, chooses a random pause between half of a
 * value and the whole value. The value doubles with each attempt. Because the pauses are random, many requests are not
 * repeated at the same time.
 */
function pauseMsOf(error: unknown, count: number): number {
  const asked = error instanceof ServiceRefusal ? error.retryAfterMs : undefined;
  const pauseMs = asked ?? firstPauseMs * 2 ** (count - 1) * (1 - Math.random() / 2);
  return Math.min(pauseMs, pauseMsMax);
}

/** Waits. Ends early when the signal aborts. */
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
