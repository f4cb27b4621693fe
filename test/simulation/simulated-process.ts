// Starts a simulated process and exchanges messages with it.

import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Command, Done, Line, ProcessOptions, SentReply } from './protocol.ts';

/** The exit code of a process that the simulated disk has ended. */
const crashedStatus = 86;

export interface Spoken extends Omit<Done, 'kind'> {
  readonly replies: readonly SentReply[];
  /** Whether the simulated disk ended the process, as the plan wanted. */
  readonly isCrashed: boolean;
}

/** An event that the plan does not explain. */
export class Violation extends Error {}

export class SimulatedProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  readonly #lines: Line[] = [];
  #wake = (): void => undefined;
  #isEnded = false;
  #stderr = '';

  constructor(file: string, options: ProcessOptions, env: Readonly<Record<string, string>>) {
    const child = spawn(process.execPath, [file, JSON.stringify(options)], {
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text));
    child.stdin?.on('error', () => undefined);
    createInterface({ input: child.stdout as NonNullable<ChildProcess['stdout']> }).on('line', (line) => {
      this.#lines.push(JSON.parse(line) as Line);
      this.#wake();
    });
    this.#ended = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => {
        this.#isEnded = true;
        this.#wake();
        resolve(code);
      });
    });
  }

  /** Resolves when the process is ready, or has crashed. */
  start(): Promise<Spoken> {
    return this.#hear('ready');
  }

  tell(command: Command): Promise<Spoken> {
    this.#child.stdin?.write(`${JSON.stringify(command)}\n`);
    return this.#hear('done');
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  ended(): Promise<number | null> {
    return this.#ended;
  }

  /** Resolves with all lines up to one of this kind. Throws Violation for a line that must never occur. */
  async #hear(last: 'ready' | 'done'): Promise<Spoken> {
    const replies: SentReply[] = [];
    for (;;) {
      const line = await this.#next();
      if (!line) return { replies, isCrashed: await this.#isCrash() };
      if (line.kind === 'reply') replies.push(line);
      if (line.kind === 'log' && line.isInternal) throw new Violation(`the emulator failed: ${line.text}`);
      if (line.kind === last) return { ...line, replies, isCrashed: false };
    }
  }

  async #isCrash(): Promise<boolean> {
    const status = await this.#ended;
    if (status === crashedStatus) return true;
    throw new Violation(`the process ended with ${status}: ${this.#stderr}`);
  }

  /** The next line, or undefined at the end of the process. */
  async #next(): Promise<Line | undefined> {
    while (this.#lines.length === 0 && !this.#isEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#lines.shift();
  }
}
