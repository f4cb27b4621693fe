// Keeps V8 from enlarging its young generation, where new objects are, for requests that need no more of it. V8 alone enlarges it to 16 MiB,
// twice, for any server under load: it counts what survives its collections over any time. Single requests are no faster for
// that, and 24 MiB of 150 are a lot (ADR 0008). Pages and batches are faster: most of one survives a collection in the middle of it.
// What is larger already shrinks only when V8 decides so.
//
// The flag that V8 reads whenever it would enlarge the young generation belongs to the process, so only the command sets it, never
// the library.

import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import type { Worker } from 'node:worker_threads';
import type { RequestRecord } from '../model/request-record.ts';
import type { MachineTime } from '../model/time.ts';

/** Of both halves, of which V8 fills one. With half of this, point reads take 1.06 times the processor time. */
const youngBytesEnough = 8 * 1_048_576;
/** The size is looked at after so many requests. */
const reviewedRequests = 256;
/** Requests and responses of more bytes are large, such as a batch of a hundred entities. */
const largeBytes = 65_536;
/** With so many large ones among the last, V8 may do as it likes. */
const largeRequestsMax = 16;

export class YoungGeneration {
  readonly #time: MachineTime;
  #requests = 0;
  #largeRequests = 0;
  #mayGrow = true;
  #isWatching = false;

  constructor(time: MachineTime) {
    this.#time = time;
  }

  /** To be called once, when the emulator is loaded. Does nothing where the user has given Node a flag for the same. */
  watch(): void {
    this.#isWatching = ![...process.execArgv, process.env['NODE_OPTIONS']].some((flag) =>
      /semi[-_]space/.test(flag ?? ''),
    );
    if (!this.#isWatching) return;
    process.on('worker', (worker) => this.#applyUntilOnline(worker));
    // Node finds compiled code again only under the flags that it was kept with.
    process.on('exit', () => this.#setGrowth(true));
    this.#review();
  }

  /** To be called for each request. */
  note({ bytesIn, bytesOut }: Pick<RequestRecord, 'bytesIn' | 'bytesOut'>): void {
    if (!this.#isWatching) return;
    if (bytesIn + bytesOut > largeBytes) this.#largeRequests++;
    if (++this.#requests >= reviewedRequests) this.#review();
  }

  #review(): void {
    const mayGrow = this.#largeRequests >= largeRequestsMax || youngBytes() < youngBytesEnough;
    this.#requests = 0;
    this.#largeRequests = 0;
    if (mayGrow === this.#mayGrow) return;
    this.#mayGrow = mayGrow;
    this.#apply();
  }

  /** A new thread resets the flag at some moment of its start (V8's Heap::ConfigureHeap), which takes some 15 ms. */
  #applyUntilOnline(worker: Worker): void {
    let isStarting = true;
    const stop = (): void => {
      isStarting = false;
    };
    worker.once('online', stop);
    worker.once('exit', stop);
    const apply = (): void => {
      this.#apply();
      if (isStarting) this.#time.after(1, apply);
    };
    apply();
  }

  #apply(): void {
    this.#setGrowth(this.#mayGrow);
  }

  /** 2 is what V8 begins with. */
  #setGrowth(mayGrow: boolean): void {
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
  }
}

function youngBytes(): number {
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  return young?.space_size ?? 0;
}
