// The stream of one client of GET /_emulator/events. The number of unread events is limited. If the client reads
// slowly, or if the server answers more requests than a person can read, the stream leaves out requests and says how
// many. The server never waits for a client.

import { PassThrough } from 'node:stream';
import type { CapacityReport } from '../../capacity/capacity-report.ts';
import type { RequestRecord } from '../../model/request-record.ts';
import type { Cancel, MachineTime } from '../../model/time.ts';
import { renderLiveRequest } from './live-request.ts';

export type Topic = 'requests' | 'capacity';

export interface EventStreamTools {
  readonly topics: ReadonlySet<Topic>;
  readonly time: Pick<MachineTime, 'after'>;
  readonly capacity: () => CapacityReport;
}

/** Time between two events of a topic. */
const requestsMs = 200;
const capacityMs = 1_000;
/** Time between two empty comment lines. They show both ends, and proxies, that the connection is alive. */
const heartbeatMs = 15_000;

/**
 * Burst size and refill rate of the token buckets that limit how many requests are rendered for a client. All requests
 * of a test run are shown. Only a few requests of a load test are rendered, because no person could read all of them.
 * Successful requests have a separate bucket, so they cannot displace refused requests.
 */
const burst = { succeeded: 3_000, refused: 1_000 };
const perSecond = { succeeded: 300, refused: 100 };
/** Approximate bound on rendered requests that wait for the next event. Two more events may wait in the stream. */
const waitingCharsMax = 4_000_000;

export class EventStream {
  /** What the client reads. */
  readonly body = new PassThrough({ highWaterMark: 65_536 });
  readonly #tools: EventStreamTools;
  readonly #timers = new Map<string, Cancel>();
  /** The requests that are not sent yet, as JSON, in order. */
  #requests: string[] = [];
  #waitingChars = 0;
  /** Requests that may be rendered now. */
  readonly #left = { ...burst };
  /** Requests left out since the last event. */
  #dropped = 0;

  constructor(tools: EventStreamTools) {
    this.#tools = tools;
    this.body.write('retry: 2000\n\n');
    this.#repeat('heartbeat', heartbeatMs, () => this.#write(': \n\n'));
    if (tools.topics.has('requests')) this.#repeat('requests', requestsMs, () => this.#sendRequests());
    if (tools.topics.has('capacity')) this.#sendCapacity();
    if (tools.topics.has('capacity')) this.#repeat('capacity', capacityMs, () => this.#sendCapacity());
  }

  /** Renders the record immediately, or only counts it. */
  add(record: RequestRecord): void {
    const kind = record.status >= 400 ? 'refused' : 'succeeded';
    if (this.#left[kind] < 1 || this.#waitingChars > waitingCharsMax) {
      this.#dropped += 1;
      return;
    }
    this.#left[kind] -= 1;
    const text = renderLiveRequest(record);
    this.#waitingChars += text.length;
    this.#requests.push(text);
  }

  close(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    this.body.end();
  }

  /** Sends nothing while the client has not read the events before. */
  #sendRequests(): void {
    for (const kind of ['succeeded', 'refused'] as const) {
      this.#left[kind] = Math.min(burst[kind], this.#left[kind] + (perSecond[kind] * requestsMs) / 1000);
    }
    if (this.#requests.length === 0 && this.#dropped === 0) return;
    if (this.body.writableNeedDrain) return;
    this.#write(`event: requests\ndata: {"dropped":${this.#dropped},"requests":[${this.#requests.join(',')}]}\n\n`);
    this.#requests = [];
    this.#waitingChars = 0;
    this.#dropped = 0;
  }

  #sendCapacity(): void {
    if (this.body.writableNeedDrain) return;
    this.#write(`event: capacity\ndata: ${JSON.stringify(this.#tools.capacity())}\n\n`);
  }

  #write(text: string): void {
    if (!this.body.writableNeedDrain) this.body.write(text);
  }

  #repeat(name: string, delayMs: number, run: () => void): void {
    const next = (): void => {
      run();
      this.#timers.set(name, this.#tools.time.after(delayMs, next));
    };
    this.#timers.set(name, this.#tools.time.after(delayMs, next));
  }
}
