import { write } from 'node:fs';
import type { MachineTime } from '../model/time.ts';

/** The size of all lines that may wait; further lines are dropped. */
const waitingBytesMax = 1_048_576;
/** The size of one write. A line given to `writeFirst` waits for at most one write. */
const chunkCharsMax = 16_384;
/**
 * The pause after a write, so that many lines share the next write. Without the pause, each line would cost a write
 * under load.
 */
const gatherPauseMs = 4;
/** The first and the longest pause while a pipe is full; each pause is twice the one before. */
const fullPauseMsMin = 1;
const fullPauseMsMax = 64;
/** The pause after any other error: a disk is full, a terminal is gone. */
const failedPauseMs = 1_000;

export interface LineWriterOptions {
  readonly time: MachineTime;
  /** Runs when the destination accepts lines again, with the number of lines dropped since the last call. */
  readonly onDropped: (lines: number) => void;
}

/**
 * Writes lines to a file descriptor and never blocks its caller. At most one write is in flight, in the thread pool.
 * Lines that arrive during a write wait. If too many lines wait, further lines are dropped. A failed write is tried
 * again.
 *
 * A pipe or a terminal must be in non-blocking mode (O_NONBLOCK). A write that blocks a thread of the pool would keep
 * the process from ending, because Node joins the pool at exit.
 */
export class LineWriter {
  readonly #fd: number;
  readonly #options: LineWriterOptions;
  #first: string[] = [];
  #waiting: string[] = [];
  #chunk: Buffer = noBytes;
  /** The bytes of the chunk and of all lines that wait. */
  #bytes = 0;
  /** Whether a write is in flight, or will follow after a pause. */
  #isDue = false;
  #fullPauseMs = fullPauseMsMin;
  /** Whether the last write failed for a reason other than a full pipe. */
  #isRefused = false;
  #droppedSinceNotice = 0;
  #dropped = 0;
  #onIdle: (() => void)[] = [];

  constructor(fd: number, options: LineWriterOptions) {
    this.#fd = fd;
    this.#options = options;
  }

  /** Lines dropped so far. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Takes one or more complete lines, each with its line feed. */
  write(lines: string): void {
    const bytes = Buffer.byteLength(lines);
    if (this.#bytes + bytes > waitingBytesMax) {
      this.#dropped++;
      this.#droppedSinceNotice++;
      return;
    }
    this.#waiting.push(lines);
    this.#add(bytes);
  }

  /** Like `write`, but these lines go before all lines that wait, and are never dropped. */
  writeFirst(lines: string): void {
    this.#first.push(lines);
    this.#add(Buffer.byteLength(lines));
  }

  /** Resolves when every line is written, when the destination refuses them, or after `waitMsMax`. */
  flush(waitMsMax: number): Promise<void> {
    if (this.#bytes === 0 || this.#isRefused) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#options.time.after(waitMsMax, resolve);
      this.#onIdle.push(() => {
        cancel();
        resolve();
      });
    });
  }

  #add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#isDue) return;
    this.#isDue = true;
    this.#writeChunk();
  }

  #writeChunk(): void {
    if (this.#chunk.length === 0) this.#chunk = this.#takeChunk();
    write(this.#fd, this.#chunk, 0, this.#chunk.length, null, (error, written) => {
      if (error) this.#retry(error);
      else this.#continue(written);
    });
  }

  #takeChunk(): Buffer {
    const queue = this.#first.length > 0 ? this.#first : this.#waiting;
    let count = 0;
    for (let chars = 0; count < queue.length && chars < chunkCharsMax; count++) chars += queue[count]?.length ?? 0;
    return Buffer.from(queue.splice(0, count).join(''));
  }

  #retry({ code }: NodeJS.ErrnoException): void {
    this.#isRefused = code !== 'EAGAIN';
    if (this.#isRefused) this.#endFlushes();
    const pauseMs = this.#isRefused ? failedPauseMs : this.#fullPauseMs;
    this.#fullPauseMs = Math.min(this.#fullPauseMs * 2, fullPauseMsMax);
    this.#options.time.after(pauseMs, () => this.#writeChunk());
  }

  #continue(written: number): void {
    this.#isRefused = false;
    this.#fullPauseMs = fullPauseMsMin;
    this.#bytes -= written;
    this.#chunk = this.#chunk.subarray(written);
    if (this.#droppedSinceNotice > 0 && this.#bytes <= waitingBytesMax / 2) {
      const lines = this.#droppedSinceNotice;
      this.#droppedSinceNotice = 0;
      this.#options.onDropped(lines);
    }
    if (this.#bytes === 0) this.#endFlushes();
    if (this.#bytes >= chunkCharsMax || this.#chunk.length > 0) this.#writeChunk();
    else this.#options.time.after(gatherPauseMs, () => this.#writeGathered());
  }

  #writeGathered(): void {
    if (this.#bytes > 0) this.#writeChunk();
    else this.#isDue = false;
  }

  #endFlushes(): void {
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }
}

const noBytes = Buffer.alloc(0);
