// Shows the progress of a long command on standard error, and ends the command on Ctrl-C.

import { type Cancel, systemMachineTime } from '../model/time.ts';

export interface Progress {
  /**
   * Reports how much of the work is done, in the units of the progress bar, and the `total` if it is known. A call is
   * cheap, so that each step of the work may report.
   */
  update(done: number, total?: number): void;
  /** Removes the bar. Call it when the work has ended, with or without success. */
  done(): void;
}

export interface ProgressOptions {
  /** The kind of work: `seeding` */
  readonly label: string;
  /** The figures in words: `1,200 entities` */
  readonly describe: (count: number) => string;
  /** Whether nothing is shown. */
  readonly isQuiet?: boolean;
}

/** How often a bar is drawn on a terminal, and how often a line is printed elsewhere. */
const drawEveryMs = 100;
const lineEveryMs = 10_000;
const barChars = 24;

/** Shows a bar on a terminal, and elsewhere prints a line every ten seconds. */
export function openProgress({ label, describe, isQuiet = false }: ProgressOptions): Progress {
  const { stderr } = process;
  const isTerminal = stderr.isTTY === true;
  const everyMs = isTerminal ? drawEveryMs : lineEveryMs;
  let drawnAtMs = isTerminal ? Number.NEGATIVE_INFINITY : systemMachineTime.monotonicMs();
  let isDrawn = false;
  const text = (done: number, total: number | undefined): string => {
    if (total === undefined || total <= 0) return `${label} ${describe(done)}`;
    const share = Math.min(1, done / total);
    const percent = `${Math.floor(share * 100)} %`;
    if (!isTerminal) return `${label} ${percent}, ${describe(done)}`;
    const filled = Math.round(share * barChars);
    return `${label} [${'#'.repeat(filled)}${'-'.repeat(barChars - filled)}] ${percent}  ${describe(done)}`;
  };
  return {
    update(done, total) {
      const nowMs = systemMachineTime.monotonicMs();
      if (isQuiet || nowMs - drawnAtMs < everyMs) return;
      drawnAtMs = nowMs;
      isDrawn = true;
      const line = text(done, total);
      stderr.write(isTerminal ? `\r${line.slice(0, (stderr.columns || 80) - 1)}\x1b[K` : `${line}\n`);
    },
    done() {
      if (isTerminal && isDrawn) stderr.write('\r\x1b[K');
      isDrawn = false;
    },
  };
}

/** A whole number with commas between thousands. */
export const countText = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');

/**
 * The error for work that was ended by Ctrl-C, by a request to terminate, or by the end of the terminal. The message
 * says what the work has done so far. `exitCode` is 128 plus the signal's number.
 */
export class Interrupted extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message = 'interrupted') {
    super(message);
    this.exitCode = exitCode;
  }
}

/** How long interrupted work may take to clean up: a server that it waits for may never answer. */
const cleanupMsMax = 3_000;

const signals = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Runs long work, and passes it an AbortSignal. The first Ctrl-C aborts this AbortSignal, with an Interrupted as the
 * reason; the work then cleans up and throws. A second Ctrl-C ends the process immediately. If the work completes in
 * spite of the first Ctrl-C, the process still ends with the exit code of the Interrupted.
 */
export async function interruptible<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const { signal } = controller;
  let cancelWait: Cancel | undefined;
  const givenUp = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => {
      cancelWait = systemMachineTime.after(cleanupMsMax, () => reject(signal.reason));
    });
  });
  const handlers = Object.entries(signals).map(([name, exitCode]) => {
    const handle = (): void => {
      if (signal.aborted) process.exit(exitCode);
      controller.abort(new Interrupted(exitCode));
    };
    process.on(name, handle);
    return { name, handle };
  });
  try {
    const result = await Promise.race([work(signal), givenUp]);
    if (signal.reason instanceof Interrupted) process.exitCode = signal.reason.exitCode;
    return result;
  } finally {
    cancelWait?.();
    for (const { name, handle } of handlers) process.off(name, handle);
  }
}
