// How far a copy is, on standard error: one line that changes on a terminal, a line now and then elsewhere.

import type { Tally } from '../data/copy/copy-table.ts';
import type { MachineTime } from '../model/time.ts';

const everyMs = { terminal: 200, elsewhere: 10_000 } as const;

export interface Progress {
  /** Takes the changing line away. */
  end(): void;
}

export function showProgress(
  tally: Tally,
  time: MachineTime,
  stream: typeof process.stderr = process.stderr,
): Progress {
  const isTerminal = stream.isTTY === true;
  const startMs = time.monotonicMs();
  let cancel = (): void => undefined;
  const show = (): void => {
    const text = describeTally(tally, time.monotonicMs() - startMs);
    stream.write(isTerminal ? `\r${text.slice(0, (stream.columns || 80) - 1)}\u001b[K` : `${text}\n`);
    wait();
  };
  const wait = (): void => {
    cancel = time.after(isTerminal ? everyMs.terminal : everyMs.elsewhere, show);
  };
  wait();
  return {
    end() {
      cancel();
      if (isTerminal) stream.write('\r\u001b[K');
    },
  };
}

/** `2 of 5 tables  184,000 entities  9,200/s` */
export function describeTally(
  { tables, tablesDone, entities, entitiesWritten, repeats }: Tally,
  elapsedMs: number,
): string {
  const rate = elapsedMs < 1 ? 0 : Math.round((entitiesWritten * 1000) / elapsedMs);
  const busy = repeats === 0 ? '' : `  ${count(repeats, 'request')} sent again`;
  return `${tablesDone} of ${count(tables, 'table')}  ${count(entities, 'entity', 'entities')}  ${rate.toLocaleString('en-US')}/s${busy}`;
}

/** `1 entity`, `2,000 entities` */
export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`;
