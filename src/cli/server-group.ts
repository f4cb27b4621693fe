import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { isSea } from 'node:sea';
import { runsProgram } from './process-variables.ts';

/**
 * Servers in processes of their own that live and end together. A signal ends them all in order, and a second one at once; a server
 * that ends by itself ends the others. When the last one is gone this process ends too, with the code of the first that failed.
 */
export class ServerGroup {
  readonly #running = new Set<ChildProcess>();
  readonly #notice: (line: string) => void;
  #isEnding = false;
  #exitCode = 0;

  constructor(notice: (line: string) => void) {
    this.#notice = notice;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => this.#end());
    process.on('exit', () => this.#signal('SIGKILL'));
  }

  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Starts a program of Node's. A pipe for its input is one that has ended: a machine without devices has no /dev/null for it. */
  start(words: readonly string[], stdio: StdioOptions): ChildProcess {
    // In a process group of its own: Ctrl-C reaches this process only, which passes it on once.
    const env = { ...process.env, ...(isSea() ? { [runsProgram]: '1' } : {}) };
    const child = spawn(process.execPath, words, { stdio, env, detached: process.platform !== 'win32' });
    child.stdin?.on('error', () => undefined).end();
    // One that cannot be started has no process, and is closed next. To signal it would signal the process group of this one.
    child.once('error', ({ message }) => this.#notice(`a server cannot be started: ${message}`));
    if (child.pid !== undefined) this.#running.add(child);
    child.once('close', (code, signal) => this.#closed(child, code, signal));
    return child;
  }

  #end(): void {
    if (this.#isEnding) {
      this.#exitCode ||= 1;
      this.#signal('SIGKILL');
      return;
    }
    this.#isEnding = true;
    this.#signal('SIGTERM');
  }

  #signal(signal: NodeJS.Signals): void {
    for (const child of this.#running) child.kill(signal);
  }

  #closed(child: ChildProcess, code: number | null, signal: NodeJS.Signals | null): void {
    this.#running.delete(child);
    // A server that is asked to end before it listens for signals ends by the signal, which is no failure.
    const isFailure = this.#isEnding ? code !== null && code !== 0 : true;
    if (isFailure) this.#exitCode ||= exitCodeOf(code, signal);
    if (!this.#isEnding) this.#end();
    if (this.#running.size === 0) process.exit(this.#exitCode);
  }
}

/** Node gives a program that cannot be started a code below zero. */
function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  if (signal !== null) return 128 + constants.signals[signal];
  return code !== null && code > 0 ? code : 1;
}
