// Tests the queue with collectors of different behaviour. One accepts spans. Others are unreachable, hang, refuse,
// redirect, or respond with too much text. The tests control the time.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Cancel } from '../../../src/model/time.ts';
import { SpanQueue } from '../../../src/traces/span-queue.ts';
import { startCollector, type TestCollector } from '../../support/collector.ts';
import { ManualTime } from '../../support/manual-time.ts';

const span = (name: string): string => JSON.stringify({ name, attributes: [], events: [] });
const resource = {
  before: '{"resourceSpans":[{"resource":{"attributes":[]},"scopeSpans":[{"scope":{"name":"t"},"spans":[',
  after: ']}]}]}',
};

/** A timeout that differs from every pause of the queue. */
const timeoutMs = 9_999;

/** Manual time that records how long the queue pauses between two exchanges. */
class NotedTime extends ManualTime {
  readonly pausesMs: number[] = [];

  override after(delayMs: number, run: () => void): Cancel {
    if (delayMs !== timeoutMs) this.pausesMs.push(delayMs);
    return super.after(delayMs, run);
  }
}

let collector: TestCollector;
let time: NotedTime;
let lines: string[];

beforeEach(async () => {
  collector = await startCollector();
  time = new NotedTime();
  lines = [];
});
afterEach(() => collector.close());

function open(url = `${collector.url}/v1/traces?api-key=hush`): SpanQueue {
  const note = (_fields: object, line: string): void => void lines.push(line);
  const log = { info: note, warn: note, error: note };
  return new SpanQueue({
    collector: { url, headers: { 'x-key': 'hush' }, timeoutMs },
    resource,
    time,
    log,
  });
}

/** Adds this many spans to the queue. */
function fill(queue: SpanQueue, count: number): void {
  for (let at = 0; at < count; at++) if (!queue.isFull()) queue.add(span(`s${at}`));
}

/** Waits until the queue has reached a state after the exchange in progress. */
const settled = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 10_000, interval: 5 });

describe('Spans that wait for a collector', () => {
  it('are sent after five seconds, in one request with the given headers', async () => {
    const queue = open();
    fill(queue, 3);
    time.advance(4_999);
    expect(collector.exports).toHaveLength(0);
    time.advance(1);
    await settled(() => expect(queue.counts).toEqual({ sent: 3, dropped: 0 }));
    const [sent] = collector.exports;
    expect(sent?.spans.map(({ name }) => name)).toEqual(['s0', 's1', 's2']);
    expect(sent?.path).toBe('/v1/traces?api-key=hush');
    expect(sent?.headers).toMatchObject({ 'x-key': 'hush', 'content-type': 'application/json' });
    expect(lines).toEqual([]);
    expect(time.pending).toBe(0);
  });

  it('are sent as soon as there are 512, and the next batch when the first is answered', async () => {
    const queue = open();
    fill(queue, 1_100);
    await settled(() => expect(queue.counts.sent).toBe(1_024));
    expect(collector.exports.map(({ spans }) => spans.length)).toEqual([512, 512]);
    expect(queue.counts.dropped).toBe(0);
    await queue.close();
    expect(queue.counts.sent).toBe(1_100);
  });

  it('are 2,048 at most while the collector is gone; the others are dropped, and one line says so', async () => {
    await collector.close();
    const queue = open();
    fill(queue, 512);
    await settled(() => expect(time.pausesMs).toHaveLength(2));
    fill(queue, 2_488);
    expect(queue.counts).toEqual({ sent: 0, dropped: 952 });
    for (let attempt = 3; attempt < 9; attempt++) {
      time.advance(60_000);
      await settled(() => expect(time.pausesMs).toHaveLength(attempt));
      fill(queue, 5);
    }
    expect(time.pausesMs).toEqual([5_000, 5_000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000]);
    expect(lines).toEqual([
      `Traces: the collector at ${collector.url}/v1/traces cannot be reached (ECONNREFUSED). At most 2048 spans wait for it; further spans are dropped.`,
    ]);
    expect(queue.counts).toEqual({ sent: 0, dropped: 982 });
    await queue.close();
    expect(queue.counts).toEqual({ sent: 0, dropped: 3_030 });
    expect(time.pending).toBe(0);
  });

  it('are kept until the collector can be reached again, and a second line says so', async () => {
    const port = Number(new URL(collector.url).port);
    await collector.close();
    const queue = open();
    fill(queue, 600);
    await settled(() => expect(lines).toHaveLength(1));
    collector = await startCollector(port);
    time.advance(5_000);
    await settled(() => expect(queue.counts.sent).toBeGreaterThan(511));
    expect(lines[1]).toBe(
      `Traces: the collector at ${collector.url}/v1/traces accepts spans again; 0 were dropped meanwhile.`,
    );
    await queue.close();
    expect(queue.counts).toEqual({ sent: 600, dropped: 0 });
    expect(lines).toHaveLength(2);
  });

  it.each([
    [400, 'answered with 400'],
    [404, 'answered with 404'],
    [401, 'answered with 401'],
    [302, 'answered with 302, a redirect, which is not followed'],
  ])('are dropped when the collector answers with %d; redirects are not followed', async (status, why) => {
    const elsewhere = await startCollector();
    collector.answerWith((response) => response.writeHead(status, { location: elsewhere.url }).end('x'));
    const queue = open();
    fill(queue, 2);
    time.advance(5_000);
    await settled(() => expect(queue.counts).toEqual({ sent: 0, dropped: 2 }));
    expect(lines).toEqual([expect.stringContaining(`${why}.`)]);
    expect(lines[0]).not.toContain('hush');
    await elsewhere.close();
    expect(elsewhere.exports).toHaveLength(0);
  });

  it('are dropped when the answer is a megabyte, of which little is read', async () => {
    collector.answerWith((response) => response.writeHead(200).end(Buffer.alloc(1_048_576, 'x')));
    const queue = open();
    fill(queue, 2);
    time.advance(5_000);
    await settled(() => expect(queue.counts).toEqual({ sent: 0, dropped: 2 }));
    expect(lines).toEqual([expect.stringContaining('answered with more than 65536 bytes.')]);
  });

  it.each([429, 502, 503, 504])('are sent again after %d', async (status) => {
    collector.answerWith((response, at) => response.writeHead(at === 0 ? status : 200).end('{}'));
    const queue = open();
    fill(queue, 2);
    time.advance(5_000);
    await settled(() => expect(lines).toHaveLength(1));
    time.advance(5_000);
    await settled(() => expect(queue.counts).toEqual({ sent: 2, dropped: 0 }));
    expect(lines).toHaveLength(2);
  });

  it('wait as long as the collector asks, but no longer than a minute', async () => {
    collector.answerWith((response, at) =>
      response.writeHead(at < 2 ? 503 : 200, { 'retry-after': at === 0 ? '20' : '9999' }).end('{}'),
    );
    const queue = open();
    fill(queue, 1);
    time.advance(5_000);
    await settled(() => expect(lines).toHaveLength(1));
    time.advance(19_999);
    expect(collector.exports).toHaveLength(1);
    time.advance(1);
    await settled(() => expect(time.pausesMs).toHaveLength(3));
    time.advance(59_999);
    expect(collector.exports).toHaveLength(2);
    time.advance(1);
    await settled(() => expect(queue.counts.sent).toBe(1));
  });

  it('that the collector accepts only in part count as far as accepted, and one line says so', async () => {
    const answer = '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"hush"}}';
    collector.answerWith((response, at) => response.end(at === 2 ? '{}' : answer));
    const queue = open();
    const counts = [1, 2, 5, 6].map((sent, at) => ({ sent, dropped: [2, 4, 4, 6][at] }));
    for (const expected of counts) {
      fill(queue, 3);
      time.advance(5_000);
      await settled(() => expect(queue.counts).toEqual(expected));
    }
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain('rejected 2 of 3 spans');
    expect(lines.join()).not.toContain('hush');
  });

  it('wait for a collector that hangs until the timeout, and are then sent again', async () => {
    collector.answerWith((response, at) => void (at > 0 && response.end('{}')));
    const queue = open();
    fill(queue, 2_500);
    await collector.arrived(1);
    expect(queue.counts).toEqual({ sent: 0, dropped: 452 });
    time.advance(timeoutMs);
    await settled(() => expect(lines).toHaveLength(2));
    expect(lines[0]).toContain('requests arrive faster than');
    expect(lines[1]).toContain('did not answer within 9999 ms.');
    time.advance(5_000);
    await settled(() => expect(queue.counts.sent).toBe(2_048));
    expect(queue.counts.dropped).toBe(452);
  });

  it('delay a stop by at most two seconds if the collector hangs', async () => {
    collector.answerWith(() => undefined);
    const queue = open();
    fill(queue, 5);
    const closed = queue.close();
    await collector.arrived(1);
    time.advance(2_000);
    await closed;
    expect(queue.counts).toEqual({ sent: 0, dropped: 5 });
    expect(time.pending).toBe(0);
    expect(queue.isFull()).toBe(true);
  });

  it('never fill the log, however often a collector changes its answers', async () => {
    collector.answerWith((response) => response.destroy());
    const queue = open();
    for (let round = 0; round < 20; round++) {
      fill(queue, 200);
      time.advance(60_000);
      await settled(() => expect(time.pausesMs).toHaveLength(round + 2));
    }
    expect(lines).toHaveLength(1);
    expect(queue.counts.dropped).toBe(20 * 200 - 2_048);
  });
});
