// A bounded queue of spans that wait for the collector. Only one request to the collector is in progress at a time. A
// batch that the collector may accept later stays in the queue. Spans that arrive when the queue is full are dropped
// and counted. The log gets one line when the collector begins to fail (no answer, a refusal, a redirect, too much
// text), and another line when the collector works again.

import type { EmulatorLog } from '../model/emulator-log.ts';
import { shownUrl } from '../model/shown-url.ts';
import type { Cancel, MachineTime } from '../model/time.ts';
import type { Collector } from './collector.ts';
import { type PostOutcome, postSpans } from './post-spans.ts';
import type { Envelope } from './resource.ts';

const spansMax = 2_048;
const batchMax = 512;
const intervalMs = 5_000;
/** Maximum pause between two attempts, however often the collector failed or how long a pause it asks for. */
const pauseMsMax = 60_000;
/** Time for the remaining spans when the emulator stops. */
const closeMsMax = 2_000;

/** Spans since the start. */
export interface SpanCounts {
  /** Spans that the collector accepted. */
  readonly sent: number;
  /** Spans that the collector refused, or that were dropped because the queue was full. */
  readonly dropped: number;
}

export interface SpanQueueOptions {
  readonly collector: Pick<Collector, 'url' | 'headers' | 'timeoutMs'>;
  readonly resource: Envelope;
  readonly time: Pick<MachineTime, 'after'>;
  readonly log: EmulatorLog | undefined;
}

const comma = Buffer.from(',');

export class SpanQueue {
  readonly counts = { sent: 0, dropped: 0 } satisfies SpanCounts;
  readonly #options: SpanQueueOptions;
  /**
   * Spans as JSON in UTF-8, the oldest first. They are kept as bytes, because a string made from parts of a request
   * would keep the entire request in memory.
   */
  readonly #spans: Buffer[] = [];
  /** Number of spans in the request under way. */
  #inFlight = 0;
  #sending: Promise<void> | undefined;
  #cancelTimer: Cancel | undefined;
  /** Number of attempts that failed in succession. */
  #failures = 0;
  #droppedBefore = 0;
  #hasOverflowed = false;
  #hasRejected = false;
  readonly #closing = new AbortController();

  constructor(options: SpanQueueOptions) {
    this.#options = options;
  }

  /** Whether there is no room for another span. If there is none, counts the span as dropped. */
  isFull(): boolean {
    if (this.#spans.length < spansMax && !this.#closing.signal.aborted) return false;
    this.counts.dropped += 1;
    if (this.#failures === 0 && !this.#hasOverflowed && !this.#closing.signal.aborted) this.#sayOverflow();
    return true;
  }

  add(span: string): void {
    this.#spans.push(Buffer.from(span));
    if (this.#sending) return;
    if (this.#spans.length >= batchMax && this.#failures === 0) this.#send();
    else this.#sendAfter(intervalMs);
  }

  /** Sends waiting spans, for at most two seconds. If the collector failed before, does not try. */
  async close(): Promise<void> {
    const cancel = this.#options.time.after(closeMsMax, () => this.#closing.abort());
    await this.#sending;
    while (this.#spans.length > 0 && this.#failures === 0 && !this.#closing.signal.aborted) {
      this.#send();
      await this.#sending;
    }
    cancel();
    this.#closing.abort();
    this.#cancelTimer?.();
    this.#drop(this.#spans.length);
  }

  #sendAfter(delayMs: number): void {
    if (this.#cancelTimer || this.#closing.signal.aborted) return;
    this.#cancelTimer = this.#options.time.after(delayMs, () => {
      this.#cancelTimer = undefined;
      if (!this.#sending && this.#spans.length > 0) this.#send();
    });
  }

  #send(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const { collector, resource, time } = this.#options;
    const batch = this.#spans.slice(0, batchMax);
    this.#inFlight = batch.length;
    const parts = batch.flatMap((span, at) => (at === 0 ? [span] : [comma, span]));
    const body = Buffer.concat([Buffer.from(resource.before), ...parts, Buffer.from(resource.after)]);
    this.#sending = postSpans(body, { collector, time, signal: this.#closing.signal }).then((outcome) => {
      this.#sending = undefined;
      this.#settle(outcome);
    });
  }

  #settle(outcome: PostOutcome): void {
    const sent = this.#inFlight;
    this.#inFlight = 0;
    if (outcome.kind === 'taken') {
      this.#spans.splice(0, sent);
      const rejected = Math.min(outcome.rejected, sent);
      this.counts.sent += sent - rejected;
      this.counts.dropped += rejected;
      this.#sayWorking();
      this.#sayRejected(rejected, sent);
    } else {
      if (outcome.kind === 'refused') this.#drop(sent);
      this.#sayFailing(outcome.why);
    }
    if (this.#spans.length === 0) return;
    if (this.#failures > 0) this.#sendAfter(this.#pauseMs(outcome));
    else if (this.#spans.length >= batchMax && !this.#closing.signal.aborted) this.#send();
    else this.#sendAfter(intervalMs);
  }

  #drop(spans: number): void {
    this.#spans.splice(0, spans);
    this.counts.dropped += spans;
  }

  #pauseMs(outcome: PostOutcome): number {
    const own = intervalMs * 2 ** Math.min(this.#failures - 1, 8);
    const asked = outcome.kind === 'later' ? (outcome.retryAfterMs ?? 0) : 0;
    return Math.min(pauseMsMax, Math.max(own, asked));
  }

  #sayFailing(why: string): void {
    this.#failures += 1;
    if (this.#failures > 1 || this.#closing.signal.aborted) return;
    this.#droppedBefore = this.counts.dropped;
    const text = `Traces: ${this.#collectorName()} ${why}. At most ${spansMax} spans wait for it; further spans are dropped.`;
    this.#options.log?.warn({ operation: 'Traces' }, text);
  }

  #sayWorking(): void {
    if (this.#failures === 0) return;
    this.#failures = 0;
    this.#hasOverflowed = false;
    const dropped = this.counts.dropped - this.#droppedBefore;
    this.#options.log?.info(
      { operation: 'Traces', dropped },
      `Traces: ${this.#collectorName()} accepts spans again; ${dropped} were dropped meanwhile.`,
    );
  }

  /**
   * Writes to the log that the collector rejected spans. After that, writes nothing about rejections until the
   * collector has accepted a complete batch. The log leaves out the collector's message, because the message may
   * contain anything.
   */
  #sayRejected(rejected: number, sent: number): void {
    if (rejected > 0 && !this.#hasRejected) {
      const text = `Traces: ${this.#collectorName()} rejected ${rejected} of ${sent} spans; they are dropped.`;
      this.#options.log?.warn({ operation: 'Traces' }, text);
    }
    this.#hasRejected = rejected > 0;
  }

  #sayOverflow(): void {
    this.#hasOverflowed = true;
    const text = `Traces: requests arrive faster than ${this.#collectorName()} accepts their spans; beyond ${spansMax}, spans are dropped and counted in tanzanite_spans_dropped_total.`;
    this.#options.log?.warn({ operation: 'Traces' }, text);
  }

  #collectorName(): string {
    return `the collector at ${shownUrl(this.#options.collector.url) ?? ''}`;
  }
}
