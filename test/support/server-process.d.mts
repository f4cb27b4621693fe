export interface ServerEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ServerProcessOptions {
  readonly cwd?: string;
  /** Variables to add to the environment of this process. Undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Standard input. By default it is empty. */
  readonly stdin?: 'ignore' | 'pipe';
}

export class ServerProcess {
  constructor(args: readonly string[], options?: ServerProcessOptions);
  /** The standard output so far. */
  readonly stdout: string;
  readonly stderr: string;
  readonly pid: number | undefined;
  /** Resolves with the address in the ready line, which is the first group of `line`. */
  ready(line?: RegExp): Promise<string>;
  /** Closes the standard input, if it is a pipe. */
  endInput(): void;
  /** Stops the process (Linux) until `resume`. Returns when its main thread has stopped. */
  pause(): void;
  resume(): void;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when the process has ended and all its output was read. */
  ended(): Promise<ServerEnd>;
  /** Sends the signal, and waits until the process has ended. */
  end(signal: NodeJS.Signals): Promise<ServerEnd>;
}
