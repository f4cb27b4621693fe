// One client of GET /_emulator/events. What it has not read yet is bounded: a client that reads slowly, or a server that answers
// more requests than a person can read, loses requests, and is told how many. Nothing waits for a client.

import { PassThrough } from 'node:stream';
import type { CapacityReport } from '../capacity/capacity-report.ts';
import type { RequestRecord } from '../model/request-record.ts';
import type { Cancel, MachineTime } from '../model/time.ts';
import { liveRequest } from './live-request.ts';

export type Topic = 'requests' | 'capacity';

export interface EventStreamTools {
  readonly topics: ReadonlySet<Topic>;
  readonly time: Pick<MachineTime, 'after'>;
  readonly capacity: () => CapacityReport;
}

/** Between two events of a topic. */
const requestsMs = 200;
const capacityMs = 1_000;
/** A line that says nothing, so that both ends and proxies see that the connection lives. */
const heartbeatMs = 15_000;

/** Requests in one event, of those that succeeded and of those that were refused. This bounds the cost as well: 1,000 a second. */
const succeededMax = 200;
const refusedMax = 100;

export class EventStream {
  /** What the client reads. */
  readonly body = new PassThrough({ highWaterMark: 65_536 });
  readonly #tools: EventStreamTools;
  readonly #timers = new Map<string, Cancel>();
  /** JSON of requests that are not sent yet, in order. */
  #requests: string[] = [];
  #succeeded = 0;
  #refused = 0;
  /** Requests since the last event that are left out. */
  #dropped = 0;

  constructor(tools: EventStreamTools) {
    this.#tools = tools;
    this.body.write('retry: 2000\n\n');
    this.#repeat('heartbeat', heartbeatMs, () => this.#write(': \n\n'));
    if (tools.topics.has('requests')) this.#repeat('requests', requestsMs, () => this.#sendRequests());
    if (tools.topics.has('capacity')) this.#sendCapacity();
    if (tools.topics.has('capacity')) this.#repeat('capacity', capacityMs, () => this.#sendCapacity());
  }

  /** Renders the record at once, or counts it only. */
  note(record: RequestRecord): void {
    const isRefused = record.status >= 400;
    if (isRefused ? this.#refused >= refusedMax : this.#succeeded >= succeededMax) {
      this.#dropped += 1;
      return;
    }
    if (isRefused) this.#refused += 1;
    else this.#succeeded += 1;
    this.#requests.push(JSON.stringify(liveRequest(record)));
  }

  close(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    this.body.end();
  }

  /** Keeps what there is while the client has not read the events before: then the bounds of one event apply to all of it. */
  #sendRequests(): void {
    if (this.#requests.length === 0 && this.#dropped === 0) return;
    if (this.body.writableNeedDrain) return;
    this.#write(`event: requests\ndata: {"dropped":${this.#dropped},"requests":[${this.#requests.join(',')}]}\n\n`);
    this.#requests = [];
    this.#succeeded = 0;
    this.#refused = 0;
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
