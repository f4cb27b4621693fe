import { setTimeout as sleep } from 'node:timers/promises';
import type { CapacityReport } from '../capacity/capacity-report.ts';
import { askEmulator, type ControlAddress } from './ask-emulator.ts';
import { type FrameOptions, renderCapacity } from './render-capacity.ts';

export interface TopOptions {
  readonly emulator: ControlAddress;
  readonly isJson: boolean;
  /** One frame and no more. */
  readonly isOnce: boolean;
  readonly intervalMs: number;
}

/** Twenty accounts of a hundred tables of 128 ranges, with keys of some length. */
const reportBytesMax = 67_108_864;
const question = { method: 'GET', room: 'capacity', expects: 'accounts', answerBytesMax: reportBytesMax } as const;

const home = '\u001b[H\u001b[2J';

/** Shows the capacity report, again and again at a terminal. Throws NoAnswer. */
export async function topCommand({ emulator, isJson, isOnce, intervalMs }: TopOptions): Promise<void> {
  const { stdout } = process;
  // That nobody reads any more (`| head -1`) is its end.
  stdout.on('error', () => process.exit(0));
  const isLive = stdout.isTTY === true && !isOnce && !isJson;
  do {
    const report = (await askEmulator(question, emulator)) as unknown as CapacityReport;
    const size = isLive ? windowSize(stdout) : pipeSize;
    const frame = isJson ? JSON.stringify(report, undefined, 2) : renderCapacity(report, size);
    stdout.write(`${isLive ? home : ''}${frame}\n`);
    if (isLive) await sleep(intervalMs);
  } while (isLive);
}

const pipeSize: FrameOptions = { columns: 200, rows: Number.POSITIVE_INFINITY };

interface Window {
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

/** What a frame may fill: the last row is the cursor's. A terminal that knows no size may have none, or say 0. */
export function windowSize({ columns, rows }: Window): FrameOptions {
  return { columns: columns || 80, rows: (rows || 24) - 1 };
}
