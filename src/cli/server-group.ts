import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { isSea } from 'node:sea';
import { runsProgram } from './process-variables.ts';

export interface MemberOptions {
  readonly stdout: 'pipe' | 'inherit';
  /**
   * Whether the program stops by itself when its standard input ends. If false, group-member.js stops the program at
   * that time.
   */
  readonly endsWithInput?: boolean;
}

const isWindows = process.platform === 'win32';

/** The built module, in the same folder of dist as this one. */
const member = join(import.meta.dirname, 'group-member.js');

/**
 * Servers in separate processes that run and end together. A signal to this process stops all servers gracefully, and a
 * second signal kills them. If one server ends by itself, the other servers are stopped. When the last server has
 * ended, this process ends with the exit code of the first server that failed. If this process is killed, the standard
 * input of each server ends, so the servers stop gracefully.
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

  /** Ends the standard input of all servers; they then stop gracefully. */
  endInput(): void {
    this.#isEnding = true;
    for (const { stdin } of this.#running) stdin?.end();
  }

  /** Starts a Node.js program. */
  start(words: readonly string[], { stdout, endsWithInput = false }: MemberOptions): ChildProcess {
    const env = { ...process.env, ...(isSea() ? { [runsProgram]: '1' } : {}) };
    const child = spawn(process.execPath, endsWithInput ? words : [member, ...words], {
      stdio: ['pipe', stdout, 'inherit'],
      env,
      // In its own process group: Ctrl-C reaches only this process, and this process passes it on once.
      detached: !isWindows,
    });
    child.stdin?.on('error', () => undefined);
    // A server that cannot be started has no process id, and its event `close` follows. Such a server must get no
    // signal, because the signal would go to the process group of this process.
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
    // Windows has no SIGTERM: the program would be killed.
    if (isWindows) this.endInput();
    else {
      this.#isEnding = true;
      this.#signal('SIGTERM');
    }
  }

  #signal(signal: NodeJS.Signals): void {
    for (const child of this.#running) child.kill(signal);
  }

  #closed(child: ChildProcess, code: number | null, signal: NodeJS.Signals | null): void {
    this.#running.delete(child);
    // A server that is asked to end before it listens for signals ends by the signal. That is not a failure.
    const isFailure = this.#isEnding ? code !== null && code !== 0 : true;
    if (isFailure) this.#exitCode ||= exitCodeOf(code, signal);
    if (!this.#isEnding) this.#end();
    if (this.#running.size === 0) process.exit(this.#exitCode);
  }
}

/** Node reports a negative code for a program that cannot be started. */
function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  if (signal !== null) return 128 + constants.signals[signal];
  return code !== null && code > 0 ? code : 1;
}
