// Sends one request to the collector. Redirects are not followed, because the headers of the request may contain a key.
// The length of the answer is limited.

import type { MachineTime } from '../model/time.ts';
import type { Collector } from './collector.ts';

export type PostOutcome =
  | { readonly kind: 'taken'; readonly rejected: number }
  /** The same spans may be sent again. */
  | { readonly kind: 'later'; readonly why: string; readonly retryAfterMs?: number }
  | { readonly kind: 'refused'; readonly why: string };

export interface PostOptions {
  readonly collector: Pick<Collector, 'url' | 'headers' | 'timeoutMs'>;
  readonly time: Pick<MachineTime, 'after'>;
  /** When it aborts, the request ends early. */
  readonly signal: AbortSignal;
}

/** Maximum length of an answer. Ordinarily it is one line. */
const answerBytesMax = 65_536;
/** Statuses after which a client may send the same spans again (OTLP/HTTP). */
const retryable = new Set([429, 502, 503, 504]);

/** Sends spans. Never rejects. */
export async function postSpans(
  body: Buffer<ArrayBuffer>,
  { collector, time, signal }: PostOptions,
): Promise<PostOutcome> {
  const { url, headers, timeoutMs } = collector;
  const abort = new AbortController();
  const end = (): void => abort.abort();
  const cancel = time.after(timeoutMs, end);
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'user-agent': 'tanzanite-otlp', ...headers, 'content-type': 'application/json' },
      body,
      redirect: 'manual',
      signal: abort.signal,
    });
    return await outcomeOf(response);
  } catch (error) {
    if (abort.signal.aborted) return { kind: 'later', why: `did not answer within ${timeoutMs} ms` };
    return { kind: 'later', why: `cannot be reached (${codeOf(error)})` };
  } finally {
    cancel();
    signal.removeEventListener('abort', end);
  }
}

async function outcomeOf(response: Response): Promise<PostOutcome> {
  const { status } = response;
  const text = await readBounded(response);
  if (text === undefined) return { kind: 'refused', why: `answered with more than ${answerBytesMax} bytes` };
  if (status >= 200 && status < 300) return { kind: 'taken', rejected: rejectedIn(text) };
  if (status >= 300 && status < 400)
    return { kind: 'refused', why: `answered with ${status}, a redirect, which is not followed` };
  const why = `answered with ${status}`;
  if (!retryable.has(status)) return { kind: 'refused', why };
  const seconds = response.headers.get('retry-after') ?? '';
  return { kind: 'later', why, ...(/^\d{1,6}$/.test(seconds) && { retryAfterMs: Number(seconds) * 1_000 }) };
}

/** The text of the answer. If it is too long, closes the connection and returns undefined. */
async function readBounded({ body }: Response): Promise<string | undefined> {
  if (!body) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks).toString('utf8');
    bytes += value.length;
    if (bytes > answerBytesMax) break;
    chunks.push(value);
  }
  await reader.cancel();
  return undefined;
}

/** The number of rejected spans in an ExportTraceServiceResponse; 0 if the answer is not JSON. */
function rejectedIn(text: string): number {
  try {
    const { partialSuccess } = JSON.parse(text) as { partialSuccess?: { rejectedSpans?: string | number } };
    const rejected = Number(partialSuccess?.rejectedSpans ?? 0);
    return rejected >= 1 ? Math.floor(rejected) : 0;
  } catch {
    return 0;
  }
}

/** The system's code, because the message may contain the address. */
function codeOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } };
  return typeof cause?.code === 'string' ? cause.code : 'the connection failed';
}
