import { endingMsMax } from './command-process.ts';

type Running = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'on' | 'emit' | 'exit'>;

/**
 * Stops a program gracefully when its standard input, a pipe, ends. The program must not read that input itself. The
 * program stops as if SIGTERM had arrived, even on Windows, which has no SIGTERM. If the program does not listen for
 * SIGTERM yet, it ends immediately. A program that takes longer than ten seconds is killed. Waiting for the end of the
 * input does not keep the process running. `after` runs a function after a delay, unless the process has ended before.
 */
export function endWithInput(running: Running, after: (delayMs: number, run: () => void) => void): void {
  let isEnding = false;
  noteSignals(running, () => {
    isEnding = true;
  });
  // The reader of the output may be gone before this program notices the end of its input.
  for (const output of [running.stdout, running.stderr]) output.on('error', () => undefined);
  const end = (): void => {
    after(endingMsMax, () => running.exit(1));
    // A second signal would end the program immediately.
    if (!isEnding && !running.emit('SIGTERM', 'SIGTERM')) running.exit(0);
  };
  running.stdin.once('end', end).once('error', end).resume().unref();
}

const signals: readonly (string | symbol)[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Calls `note` at each signal. Begins to listen for a signal when the program does. Before that, the signal must end
 * the process, and any listener would prevent this.
 */
function noteSignals(running: Running, note: () => void): void {
  const noted = new Set<string | symbol>();
  running.on('newListener', (name: string | symbol) => {
    if (!signals.includes(name) || noted.has(name)) return;
    noted.add(name);
    running.on(name as 'SIGTERM', note);
  });
}
