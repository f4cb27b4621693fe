import { escapeControls } from '../model/printable-text.ts';
import { exitCodeUnusable } from './exit-codes.ts';

/** Where a command prints its result. */
export interface Output {
  /** Resolves when there is room for more: a reader may be slow. */
  write(text: string): Promise<void>;
  readonly isTerminal: boolean;
  /** How wide lines may be. */
  readonly columns: number;
}

const defaultColumns = 100;

export function openStandardOutput(): Output {
  const stdout = standardOutput();
  return {
    write: (text) => new Promise((resolve) => (stdout.write(text) ? resolve() : stdout.once('drain', resolve))),
    isTerminal: stdout.isTTY === true,
    columns: stdout.columns || defaultColumns,
  };
}

/** Prints the complete result of a command. The text includes the line ends. */
export const print = (text: string): void => void standardOutput().write(text);

/**
 * Returns standard output, for commands that only write their result. If the reader, such as `head`, has gone, the
 * process ends without an error. If writing fails for another reason, such as a full disk, the process prints one line
 * on standard error and ends.
 */
export function standardOutput(): typeof process.stdout {
  const { stdout } = process;
  if (!stdout.listeners('error').includes(endProcess)) stdout.on('error', endProcess);
  return stdout;
}

function endProcess(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  remark(`tanzanite: standard output cannot be written: ${error.message}`);
  process.exit(exitCodeUnusable);
}

/** Prints a remark about the result on standard error. The remark may hold text from a file or a server. */
export const remark = (line: string): void => void process.stderr.write(`${escapeControls(line)}\n`);
