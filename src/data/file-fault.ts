import type { EntityKey } from '../model/entity.ts';

/** A file that cannot be read or written. The message names the file, the line if there is one, and the reason. */
export class FileFault extends Error {
  /** What was done before the failure, if anything: `2 files are written`. */
  readonly outcome: string | undefined;

  constructor(message: string, { outcome, ...options }: ErrorOptions & { readonly outcome?: string | undefined } = {}) {
    super(message, options);
    this.outcome = outcome;
  }
}

/** Turns a system error during a write to the folder into a FileFault. Other errors are returned unchanged. */
export function writingFault(folder: string, error: unknown, outcome?: string): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  return new FileFault(`${folder} cannot be written: ${error.message}`, { cause: error, outcome });
}

/** What is wrong in one line of a file. A `FileFault` names the file as well. */
export class LineFault extends Error {
  /** Line number, 1-based. */
  readonly line: number;

  constructor(line: number, reason: string) {
    super(reason);
    this.line = line;
  }
}

/** The largest record in a file, in any format. The record of the largest entity is shorter. */
export const recordBytesMax = 4 * 1_048_576;

export const tooLongText = `is longer than ${recordBytesMax / 1_048_576} MiB, longer than any entity`;

/** Why an entity with keys that the table already has is refused. */
export const twiceText = ({ partitionKey, rowKey }: EntityKey): string =>
  `PartitionKey ${JSON.stringify(partitionKey)} and RowKey ${JSON.stringify(rowKey)} occur twice`;
