/** Where a command prints what it was asked for. */
export interface Output {
  /** Resolves when there is room for more: a reader may be slow. */
  write(text: string): Promise<void>;
  readonly isTerminal: boolean;
  /** How wide lines may be. */
  readonly columns: number;
}

const defaultColumns = 100;

/** Standard output. Ends the process, without an error, when a reader such as `head` has gone. */
export function openStandardOutput(): Output {
  const { stdout } = process;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  return {
    write: (text) => new Promise((resolve) => (stdout.write(text) ? resolve() : stdout.once('drain', resolve))),
    isTerminal: stdout.isTTY === true,
    columns: stdout.columns || defaultColumns,
  };
}

/** A remark about the result, which is not part of it: on standard error. */
export const remark = (line: string): void => void process.stderr.write(`${line}\n`);
