// Runs a command as a child process in its own process group. Each signal reaches the command once, and no process that
// the command started is left behind.

import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { type Cancel, systemMachineTime as time } from '../model/time.ts';
import type { Environment } from './command-context.ts';

/** The exit codes of shells. */
const exitCodeNotFound = 127;
const exitCodeNotExecutable = 126;

/** How long a command and the processes that it started may take to end after a signal. */
export const endingMsMax = 10_000;
/** How long killed processes may take to disappear. */
const killedMsMax = 1_000;
const pollMs = 25;

const isWindows = process.platform === 'win32';

/** The signals that end a command; a terminal sends three of them. */
export const endingSignals: readonly NodeJS.Signals[] = [
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
  ...(isWindows ? [] : ['SIGQUIT' as const]),
];

export interface CommandOptions {
  readonly environment: Environment;
  readonly stdio: StdioOptions;
}

export interface CommandEnd {
  /**
   * The exit code of the command, or 128 plus the number of the signal that ended the command. The code is 127 if the
   * command is not found, and 126 if the command cannot be run.
   */
  readonly exitCode: number;
  /** Says for a person why the command did not start. */
  readonly failure?: string;
}

/** The first word names the program, which is looked for on the PATH; no shell reads the words. */
export function startProcess([program = '', ...words]: readonly string[], options: CommandOptions): CommandProcess {
  const { environment: env, stdio } = options;
  try {
    // The command gets its own process group, so Ctrl-C does not reach the command directly. Only Tanzanite's process
    // receives the signal, and passes the signal on once. Tanzanite's process can also kill all processes of the group.
    return new CommandProcess(program, spawn(program, words, { env, stdio, detached: !isWindows }));
  } catch (error) {
    return new CommandProcess(program, error as NodeJS.ErrnoException);
  }
}

export class CommandProcess {
  /** Resolves when the command and the rest of its process group have ended. Never rejects. */
  readonly ended: Promise<CommandEnd>;
  readonly #child: ChildProcess | undefined;
  #hasEnded = false;
  #cancelKill: Cancel | undefined;

  constructor(program: string, started: ChildProcess | NodeJS.ErrnoException) {
    this.#child = started instanceof Error ? undefined : started;
    this.ended = this.#end(program, started).finally(() => {
      this.#hasEnded = true;
      this.#cancelKill?.();
    });
  }

  /**
   * Passes a signal on. After ten seconds, kills the processes that have not ended. The signals of a terminal (Ctrl-C,
   * or the end of the terminal) go to all processes of the group, as if the terminal had sent them to the group.
   * SIGTERM goes only to the command, which passes SIGTERM on to its own processes. When the command has ended, SIGTERM
   * also goes to the processes that the command left.
   */
  pass(signal: NodeJS.Signals): void {
    if (this.#hasEnded) return;
    // On Windows, nothing is sent: the console itself sends Ctrl-C to the command, and kill() would end the command
    // without a chance to clean up.
    if (!isWindows) this.#signal(signal, { isForAll: signal !== 'SIGTERM' });
    this.#cancelKill ??= time.after(endingMsMax, () => this.kill());
  }

  /** Kills the command and its group. */
  kill(): void {
    const pid = this.#child?.pid;
    if (this.#hasEnded || pid === undefined) return;
    if (isWindows) spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' });
    else this.#signal('SIGKILL', { isForAll: true });
  }

  #signal(signal: NodeJS.Signals, { isForAll }: { readonly isForAll: boolean }): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    try {
      process.kill(isForAll ? -pid : pid, signal);
    } catch {
      // It has ended.
    }
  }

  async #end(program: string, started: ChildProcess | NodeJS.ErrnoException): Promise<CommandEnd> {
    if (started instanceof Error) return explainFailure(program, started);
    const end = await new Promise<CommandEnd>((resolve) => {
      // Once the command runs, an error only means that a signal could not be sent. The reason may be that the command
      // has just ended.
      started.on('error', (error) => started.pid === undefined && resolve(explainFailure(program, error)));
      started.once('exit', (code, signal) => resolve({ exitCode: exitCodeOf(code, signal) }));
    });
    if (started.pid !== undefined && !isWindows) await this.#endGroup(started.pid);
    return end;
  }

  /** Ends the processes that the command left in its group. */
  async #endGroup(group: number): Promise<void> {
    if (!isGroupRunning(group)) return;
    this.pass('SIGTERM');
    this.#signal('SIGTERM', { isForAll: true });
    const giveUpMs = time.monotonicMs() + endingMsMax + killedMsMax;
    while (isGroupRunning(group) && time.monotonicMs() < giveUpMs) {
      await new Promise<void>((resolve) => time.after(pollMs, resolve));
    }
  }
}

const exitCodeOf = (code: number | null, signal: NodeJS.Signals | null): number =>
  code ?? 128 + (signal === null ? 0 : constants.signals[signal]);

function explainFailure(program: string, { code, message }: NodeJS.ErrnoException): CommandEnd {
  if (code === 'ENOENT') return { exitCode: exitCodeNotFound, failure: `${program}: command not found` };
  const reason = code === 'EACCES' ? 'permission denied, or not a program' : message;
  return { exitCode: exitCodeNotExecutable, failure: `${program} cannot be run: ${reason}` };
}

/**
 * Whether a process of the group is still running. A process that has ended stays in its group until its parent reads
 * the exit code. In a container, the parent may be the first process, which may never read exit codes. On Linux,
 * processes that have ended are therefore not counted.
 */
function isGroupRunning(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return (
    process.platform !== 'linux' || readdirSync('/proc').some((name) => /^\d+$/.test(name) && isRunning(name, group))
  );
}

/** Whether a process belongs to the group and has not ended. */
function isRunning(pid: string, group: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // State, parent and group follow the name, which may hold any character.
    const [state, , own] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(own) === group && state !== 'Z' && state !== 'X';
  } catch {
    return false;
  }
}
