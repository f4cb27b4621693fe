// `tanzanite top` on a terminal: frames one after another, until q or Ctrl-C.

import { setTimeout as sleep } from 'node:timers/promises';
import { escapeControls } from '../model/printable-text.ts';
import { clip } from './columns.ts';
import { NoAnswer } from './exit-codes.ts';
import { describeRates, type TrafficReading } from './traffic-rates.ts';

export interface FrameOptions {
  readonly columns: number;
  readonly rows: number;
}

interface Window {
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

/** The columns and rows of a frame. The last row stays free for the cursor. A terminal may report no size, or 0. */
export function windowSize({ columns, rows }: Window): FrameOptions {
  return { columns: columns || 80, rows: (rows || 24) - 1 };
}

/** What the emulator reports at one moment. */
export interface LoadReading {
  readonly traffic: TrafficReading;
  readonly render: (size: FrameOptions) => string;
}

interface WatchOptions {
  /** Rejects with NoAnswer. */
  readonly readFrame: () => Promise<LoadReading>;
  readonly intervalMs: number;
}

/**
 * Shows the load at intervals. Rejects with NoAnswer if the emulator does not answer the first request. If the emulator
 * does not answer a later request, waits until it answers again.
 */
export async function watchLoad({ readFrame, intervalMs }: WatchOptions): Promise<void> {
  let reading = await readFrame();
  let rates = '';
  endOnKey();
  for (;;) {
    draw(({ columns, rows }) => {
      const head = clip(rates === '' ? 'q ends' : rates, columns);
      return `${head}\n${reading.render({ columns, rows: rows - 1 })}`;
    });
    await sleep(intervalMs);
    const before = reading.traffic;
    reading = await readAgain(readFrame, intervalMs);
    rates = describeRates(before, reading.traffic) ?? '';
  }
}

async function readAgain(readFrame: WatchOptions['readFrame'], intervalMs: number): Promise<LoadReading> {
  for (;;) {
    try {
      return await readFrame();
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      draw(({ columns }) =>
        ['waiting for the emulator (q ends)', '', clip(escapeControls(error.message), columns)].join('\n'),
      );
    }
    await sleep(intervalMs);
  }
}

const clearScreen = '\u001b[H\u001b[2J';

function draw(render: (size: FrameOptions) => string): void {
  process.stdout.write(`${clearScreen}${render(windowSize(process.stdout))}\n`);
}

/** `\u0003` is Ctrl-C. */
const endingKeys = ['q', 'Q', '\u0003'];

/** Reads single keys if standard input is a terminal. In this mode, Ctrl-C arrives as a key too. */
function endOnKey(): void {
  const { stdin } = process;
  if (!stdin.isTTY) return;
  stdin.setRawMode(true);
  stdin.on('data', (keys) => {
    if (![...String(keys)].some((key) => endingKeys.includes(key))) return;
    stdin.setRawMode(false);
    process.exit(0);
  });
}
