import type { RowsFor } from './setting.ts';

export interface RecordingOptions {
  /** File to which requests and responses are appended, without secrets, for `tanzanite parity`. Default: none. */
  readonly record?: string;
}

/** @internal */
export const recordingRows = {
  record: {
    kind: 'text',
    flag: '--record <file>',
    help: 'append requests and responses, without secrets, to this file',
    details:
      '[`tanzanite parity`](parity.md) reads this file. Only the owner of the file can read it. It grows to at most 1 GiB.',
  },
} as const satisfies RowsFor<RecordingOptions>;
