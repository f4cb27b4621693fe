import { describe, expect, it } from 'vitest';
import { type BackOff, repeatWhileBusy } from '../../../../src/data/copy/back-off.ts';
import { Unreachable } from '../../../../src/data/send-request.ts';
import { NoTableService, ServiceRefusal } from '../../../../src/data/table-client.ts';
import { ManualTime } from '../../../support/manual-time.ts';

const refusal = (status: number, code: string, retryAfterMs?: number): ServiceRefusal =>
  new ServiceRefusal(status, code, { message: code, reasons: [], retryAfterMs });
const busy = refusal(503, 'ServerBusy');

/** Runs attempts that fail with these errors and then succeed. Returns the result, and the pauses in milliseconds. */
async function attemptAll(errors: readonly Error[], hasAnswered = true) {
  const time = new ManualTime();
  const controller = new AbortController();
  const waiting = errors.values();
  let attempts = 0;
  const attempt = async (): Promise<string> => {
    attempts++;
    const { value } = waiting.next();
    if (value) throw value;
    return 'done';
  };
  const options: BackOff = {
    time,
    signal: controller.signal,
    hasAnswered: () => hasAnswered,
    onRepeat: () => undefined,
  };
  let isOver = false;
  const result = repeatWhileBusy(attempt, options)
    .catch((error: unknown) => error)
    .finally(() => {
      isOver = true;
    });
  const pauses: number[] = [];
  while (!isOver) {
    await new Promise(setImmediate);
    if (time.pending === 0) continue;
    const startMs = time.monotonicMs();
    while (time.pending > 0) time.advance(1);
    pauses.push(time.monotonicMs() - startMs);
  }
  return { result: await result, attempts, pauses };
}

describe('a request of a copy', () => {
  it.each([busy, refusal(500, 'OperationTimedOut'), refusal(429, 'TooManyRequests'), new NoTableService(502, 'proxy')])(
    'is sent again after $message, with growing pauses',
    async (error) => {
      const { result, pauses } = await attemptAll([error, error, error, error]);
      expect([result, pauses.length]).toEqual(['done', 4]);
      for (const [at, pause] of pauses.entries()) {
        expect(pause).toBeGreaterThanOrEqual(200 * 2 ** at);
        expect(pause).toBeLessThanOrEqual(400 * 2 ** at + 1);
      }
    },
  );

  it('waits as long as the service requests, up to a limit', async () => {
    const { pauses } = await attemptAll([refusal(503, 'ServerBusy', 2_000), refusal(503, 'ServerBusy', 86_400_000)]);
    expect(pauses).toEqual([2_000, 30_000]);
  });

  it('fails after the last attempt', async () => {
    expect(await attemptAll(Array.from({ length: 20 }, () => busy))).toMatchObject({ result: busy, attempts: 11 });
  });

  it.each([refusal(403, 'AuthenticationFailed'), refusal(400, 'InvalidInput'), refusal(501, 'NotImplemented')])(
    'is not sent again after $code',
    async (error) => {
      expect(await attemptAll([error])).toMatchObject({ result: error, attempts: 1 });
    },
  );

  it('is sent again after a broken connection only if the server has answered before', async () => {
    const broken = new Unreachable('ECONNRESET');
    expect(await attemptAll([broken])).toMatchObject({ result: 'done', attempts: 2 });
    expect(await attemptAll([broken], false)).toMatchObject({ result: broken, attempts: 1 });
    expect(await attemptAll(Array.from({ length: 9 }, () => broken))).toMatchObject({ result: broken, attempts: 6 });
  });

  it('does not wait for the end of a pause when it is interrupted', async () => {
    const time = new ManualTime();
    const { signal, abort } = interruption();
    const attempt = (): Promise<never> => Promise.reject(busy);
    const result = repeatWhileBusy(attempt, { time, signal, hasAnswered: () => true, onRepeat: () => undefined });
    await new Promise(setImmediate);
    expect(time.pending).toBe(1);
    abort();
    await expect(result).rejects.toThrow('interrupted');
    expect(time.pending).toBe(0);
  });
});

function interruption(): { readonly signal: AbortSignal; abort(): void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort(new Error('interrupted')) };
}
