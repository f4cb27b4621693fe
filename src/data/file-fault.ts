import type { EntityKey } from '../model/entity.ts';

/** A file that cannot be read or written. The message names the file, the line where there is one, and the reason. */
export class FileFault extends Error {
  /** What it has left, where that is not nothing: `2 files are written`. */
  readonly outcome: string | undefined;

  constructor(message: string, { outcome, ...options }: ErrorOptions & { readonly outcome?: string | undefined } = {}) {
    super(message, options);
    this.outcome = outcome;
  }
}

/** An error of the system while a folder is written; any other error as it is. */
export function writingFault(folder: string, error: unknown, outcome?: string): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  return new FileFault(`${folder} cannot be written: ${error.message}`, { cause: error, outcome });
}

/** What is wrong in one line of a file; `FileFault` adds the file. */
export class LineFault extends Error {
  /** 1-based. */
  readonly line: number;

  constructor(line: number, reason: string) {
    super(reason);
    this.line = line;
  }
}

/** An entity as a file writes it, in any of its forms: a record of the largest has less. */
export const recordBytesMax = 4 * 1_048_576;

export const tooLongText = `is longer than ${recordBytesMax / 1_048_576} MiB, and no entity is`;

/** Why an entity is refused whose keys the table has already. */
export const twiceText = ({ partitionKey, rowKey }: EntityKey): string =>
  `PartitionKey ${JSON.stringify(partitionKey)} and RowKey ${JSON.stringify(rowKey)} occur twice`;
