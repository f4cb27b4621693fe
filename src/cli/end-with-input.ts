import { endingMsMax } from './command-process.ts';

type Running = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'on' | 'emit' | 'exit'>;

/**
 * Ends a program that does not read its standard input, a pipe, in order when that input ends. It ends as by SIGTERM, which Windows
 * does not have. A program that does not listen for signals yet ends immediately; one that takes longer than ten seconds is killed.
 * The watch does not keep the process running. `after` calls back unless the process has ended before.
 */
export function endWithInput(running: Running, after: (delayMs: number, run: () => void) => void): void {
  let isEnding = false;
  noteSignals(running, () => {
    isEnding = true;
  });
  // The reader of the lines may be gone before the end of the input is seen.
  for (const output of [running.stdout, running.stderr]) output.on('error', () => undefined);
  const end = (): void => {
    after(endingMsMax, () => running.exit(1));
    // A second signal would end it out of order.
    if (!isEnding && !running.emit('SIGTERM', 'SIGTERM')) running.exit(0);
  };
  running.stdin.once('end', end).once('error', end).resume().unref();
}

const signals: readonly (string | symbol)[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Listens for a signal once the program does. Until then the signal ends the process. */
function noteSignals(running: Running, note: () => void): void {
  const noted = new Set<string | symbol>();
  running.on('newListener', (name: string | symbol) => {
    if (!signals.includes(name) || noted.has(name)) return;
    noted.add(name);
    running.on(name as 'SIGTERM', note);
  });
}
