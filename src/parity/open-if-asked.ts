// Loads the recorder only if a setting asks for it.

import type { Accounts } from '../auth/accounts.ts';
import type { Recorder, RecorderOptions } from './recorder.ts';

interface AskedRecorder extends Partial<Pick<RecorderOptions, 'log'>> {
  /** The file to record to. */
  readonly record?: string | undefined;
  readonly machineTime: RecorderOptions['time'];
  readonly describeSettings?: () => Promise<NonNullable<RecorderOptions['settings']>>;
}

/** Undefined without `--record`. Rejects with UnusableRecording. */
export async function openRecorderIfAsked(
  { record: path, machineTime: time, log, describeSettings }: AskedRecorder,
  accounts: Accounts,
): Promise<Recorder | undefined> {
  if (path === undefined) return undefined;
  const { openRecorder } = await import('./recorder.ts');
  const settings = (await describeSettings?.()) ?? [];
  return openRecorder({ path, time, log, settings, accounts });
}
