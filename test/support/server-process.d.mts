export interface ServerEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ServerProcessOptions {
  readonly cwd?: string;
  /** Merged into the environment of this process; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** By default standard input is empty. */
  readonly stdin?: 'ignore' | 'pipe';
}

export class ServerProcess {
  constructor(args: readonly string[], options?: ServerProcessOptions);
  /** The output so far. */
  readonly stdout: string;
  readonly stderr: string;
  readonly pid: number | undefined;
  /** Resolves with the address in the ready line, the first group of `line`. */
  ready(line?: RegExp): Promise<string>;
  /** Closes a standard input that is a pipe. */
  endInput(): void;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when the process has ended and all its output was read. */
  ended(): Promise<ServerEnd>;
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<ServerEnd>;
}
