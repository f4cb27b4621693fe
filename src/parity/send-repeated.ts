import { networkReason, openExchange, readText } from '../data/http-exchange.ts';
import { pauseMsMax, Unreachable } from '../data/send-request.ts';
import type { TableEndpoint } from '../data/table-endpoint.ts';
import { retryAfterMs } from '../data/table-exchange.ts';
import type { ModelTime } from '../model/time.ts';
import type { ComparedResponse } from './compare-responses.ts';
import { NotRepeatable, type RepeatedRequest } from './repeat-request.ts';

const responseTimeoutMs = 60_000;
const responseBytesMax = 64 * 1_048_576;
/** Pauses before a request is repeated if the server is busy and does not say how long to wait. */
const pausesMs = [1_000, 2_000, 4_000];

export interface Sending {
  readonly endpoint: TableEndpoint;
  readonly time: Pick<ModelTime, 'after'>;
  readonly signal: AbortSignal;
  /** Whether the recorded server was busy. If not, a request to a busy server is sent again. */
  readonly expectsBusy: boolean;
  readonly timeoutMs?: number;
}

/**
 * Sends a request to the endpoint. Rejects with the reason of the signal if the signal is aborted, with NotRepeatable
 * if Node cannot send the request, and with Unreachable if the exchange fails for another reason.
 */
export async function sendRepeated(request: RepeatedRequest, sending: Sending): Promise<ComparedResponse> {
  for (const pauseMs of sending.expectsBusy ? [] : pausesMs) {
    const response = await sendOnce(request, sending);
    if (response.status !== 503) return response;
    const delayMs = Math.min(retryAfterMs(response.headers) ?? pauseMs, pauseMsMax);
    await pause(delayMs, sending);
  }
  return sendOnce(request, sending);
}

async function sendOnce(request: RepeatedRequest, sending: Sending): Promise<ComparedResponse> {
  const { endpoint, signal, timeoutMs = responseTimeoutMs } = sending;
  const { method, target, headers, body } = request;
  try {
    const response = await openExchange(new URL(endpoint.url), {
      method,
      path: target,
      headers,
      body,
      rejectUnauthorized: !endpoint.isInsecure,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    const text = await readText(response, responseBytesMax);
    const fields = Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(', ')]);
    return { status: response.statusCode ?? 0, headers: Object.fromEntries(fields), body: Buffer.from(text) };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const { code } = error as NodeJS.ErrnoException;
    if (code?.startsWith('ERR_INVALID') || code === 'ERR_UNESCAPED_CHARACTERS')
      throw new NotRepeatable('its method, address or headers hold characters that no client sends');
    throw new Unreachable(networkReason(error), { cause: error });
  }
}

function pause(delayMs: number, { time, signal }: Sending): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      cancel();
      reject(signal.reason);
    };
    const cancel = time.after(delayMs, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
