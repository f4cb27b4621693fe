import { setTimeout as sleep } from 'node:timers/promises';
import type { CapacityReport } from '../capacity/capacity-report.ts';
import { askEmulator, type ControlAddress } from './ask-emulator.ts';
import { renderCapacity } from './render-capacity.ts';

export interface TopOptions {
  readonly emulator: ControlAddress;
  readonly isJson: boolean;
  /** One frame and no more. */
  readonly isOnce: boolean;
  readonly intervalMs: number;
}

const home = '\u001b[H\u001b[2J';

/** Shows the capacity report, again and again at a terminal. Throws NoAnswer. */
export async function topCommand({ emulator, isJson, isOnce, intervalMs }: TopOptions): Promise<void> {
  const { stdout } = process;
  // That nobody reads any more (`| head -1`) is its end.
  stdout.on('error', () => process.exit(0));
  const isLive = stdout.isTTY === true && !isOnce && !isJson;
  do {
    const answer = await askEmulator({ method: 'GET', room: 'capacity', expects: 'accounts' }, emulator);
    const report = answer as unknown as CapacityReport;
    const frame = isJson ? JSON.stringify(report, undefined, 2) : renderCapacity(report, sizeOf(isLive));
    stdout.write(`${isLive ? home : ''}${frame}\n`);
    if (isLive) await sleep(intervalMs);
  } while (isLive);
}

function sizeOf(isLive: boolean): { columns: number; rows: number } {
  if (!isLive) return { columns: 200, rows: Number.POSITIVE_INFINITY };
  const { columns = 80, rows = 24 } = process.stdout;
  return { columns, rows: rows - 1 };
}
