// The requests that the page holds: a limited number of the newest requests, and the requests that arrived while the
// page was paused.

import type { LiveRequest } from '../../../control/observe/live-request.ts';

/** A request and its number, from 1 in the order of arrival. */
export interface TrafficRow {
  readonly number: number;
  readonly request: LiveRequest;
  /** The text that a search looks through, in lower case. */
  readonly words: string;
}

export interface LiveRequests {
  readonly dropped: number;
  readonly requests: readonly LiveRequest[];
}

export const trafficRowsMax = 5_000;

export class TrafficLog {
  /** The newest last. */
  rows: readonly TrafficRow[] = [];
  /** Requests that arrived while the list was paused, the newest last. */
  #waiting: TrafficRow[] = [];
  #waitingDropped = 0;
  #number = 0;
  isPaused = false;
  /** Number of requests that the emulator answered since the list was cleared and that never became rows. */
  dropped = 0;

  get waiting(): number {
    return this.#waiting.length + this.#waitingDropped;
  }

  add({ requests, dropped }: LiveRequests): void {
    const rows = requests.map((request) => this.#rowOf(request));
    if (!this.isPaused) {
      this.rows = [...this.rows, ...rows].slice(-trafficRowsMax);
      this.dropped += dropped;
      return;
    }
    this.#waiting.push(...rows);
    this.#waitingDropped += dropped;
    const over = this.#waiting.length - trafficRowsMax;
    if (over <= 0) return;
    this.#waiting.splice(0, over);
    this.#waitingDropped += over;
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    this.rows = [...this.rows, ...this.#waiting].slice(-trafficRowsMax);
    this.dropped += this.#waitingDropped;
    this.#forgetWaiting();
  }

  /** Removes the rows. Waiting requests stay. */
  clear(): void {
    this.rows = [];
    this.dropped = 0;
  }

  #forgetWaiting(): void {
    this.#waiting = [];
    this.#waitingDropped = 0;
  }

  #rowOf(request: LiveRequest): TrafficRow {
    this.#number += 1;
    return { number: this.#number, request, words: wordsOf(request) };
  }
}

/** Kept for as long as the tab is open, so that the list is still there after a look at another page. */
export const trafficLog = new TrafficLog();

function wordsOf(request: LiveRequest): string {
  const { operation, method, url, account, table, partitionKey, rowKey, filter, select, code, plan } = request;
  const { userAgent, remoteAddress, requestId, clientRequestId, traceId, status, fault, members = [] } = request;
  const keys = members.flatMap((member) => [member.table, member.partitionKey, member.rowKey]);
  return [operation, method, url, account, table, partitionKey, rowKey, filter, select, code, plan, userAgent]
    .concat([remoteAddress, requestId, clientRequestId, traceId, String(status), fault?.rule, fault?.kind], keys)
    .filter((word) => word !== undefined)
    .join('\n')
    .toLowerCase();
}
