// Records the requests that an emulator answers, without their secrets. Several lines are written together soon after
// the responses, so that only few lines are lost if the process is killed. If the disk refuses the lines, the recording
// ends, but the emulator continues to answer requests.

import { closeSync, fstatSync } from 'node:fs';
import manifest from '../../package.json' with { type: 'json' };
import type { Accounts } from '../auth/accounts.ts';
import type { EmulatorLog } from '../model/emulator-log.ts';
import type { RequestRecord } from '../model/request-record.ts';
import type { SettingReport } from '../model/setting-report.ts';
import type { MachineTime } from '../model/time.ts';
import { type DataChange, harVersion, type RecordingHead } from './exchange.ts';
import { appendLines, openRecordingFile } from './recording-file.ts';
import { createEntryRenderer, type SentResponse } from './render-entry.ts';

/** Limit: a larger file adds little information, and fills disks. */
const fileBytesMax = 1_073_741_824;
/** How long lines wait to be written together, because a system call for each response is expensive. */
const waitMs = 20;
const waitingBytesMax = 262_144;
/** Maximum number of bytes in UTF-8 for one UTF-16 code unit. */
const bytesPerCharMax = 3;

export interface Recorder {
  /** The bodies of the record and of the response must still be in memory. */
  take(record: RequestRecord, response: SentResponse | undefined): void;
  /** To be called when tables changed without a request. */
  dataChanged(account: string, table?: string): void;
  /** Writes waiting lines and closes the file. */
  close(): void;
}

export interface RecorderOptions {
  readonly path: string;
  readonly accounts: Pick<Accounts, 'names' | 'keysOf'>;
  readonly time: Pick<MachineTime, 'after'>;
  readonly log: EmulatorLog | undefined;
  readonly settings?: readonly SettingReport[];
  readonly bytesMax?: number;
}

/** Throws UnusableRecording. */
export function openRecorder(options: RecorderOptions): Recorder {
  const { path, accounts, time, log, settings = [], bytesMax = fileBytesMax } = options;
  const render = createEntryRenderer(accounts);
  const file = openRecordingFile(path);
  let bytes = fstatSync(file).size;
  // Waiting lines are kept as bytes. The garbage collector would copy texts.
  const buffer = Buffer.allocUnsafe(waitingBytesMax);
  let waiting = 0;
  let isOpen = true;
  let cancel = (): void => undefined;
  const end = (reason: string, about: object = {}): void => {
    cancel();
    isOpen = false;
    closeSync(file);
    log?.warn({ ...about, file: path }, `the recording to ${path} ended: ${reason}`);
  };
  const write = (lines: Buffer): void => {
    try {
      appendLines(file, lines);
    } catch (err) {
      end((err as Error).message, { err });
    }
  };
  const flush = (): void => {
    cancel();
    if (waiting > 0) write(buffer.subarray(0, waiting));
    waiting = 0;
  };
  const add = (text: string): void => {
    const line = `${text}\n`;
    const isLong = line.length * bytesPerCharMax > waitingBytesMax;
    if (isLong || line.length * bytesPerCharMax > waitingBytesMax - waiting) flush();
    if (!isOpen) return;
    const long = isLong ? Buffer.from(line) : undefined;
    const size = long?.length ?? buffer.write(line, waiting);
    bytes += size;
    if (bytes > bytesMax) {
      flush();
      if (isOpen) end(`it has reached ${bytesMax} bytes`);
    } else if (long) write(long);
    else {
      if (waiting === 0) cancel = time.after(waitMs, flush);
      waiting += size;
    }
  };
  add(JSON.stringify(headWith(settings)));
  flush();
  return {
    take: (record, response) => isOpen && add(render(record, response)),
    dataChanged(account, table) {
      const change: DataChange = { _dataChange: { account, ...(table === undefined ? {} : { table }) } };
      if (isOpen) add(JSON.stringify(change));
    },
    close() {
      if (!isOpen) return;
      flush();
      if (!isOpen) return;
      isOpen = false;
      closeSync(file);
    },
  };
}

function headWith(settings: readonly SettingReport[]): RecordingHead {
  const changed = settings.filter(({ from, value }) => from.kind !== 'default' && value !== null);
  return {
    version: harVersion,
    creator: { name: 'Tanzanite', version: manifest.version },
    _node: process.version,
    _platform: `${process.platform} ${process.arch}`,
    ...(changed.length > 0 && {
      _settings: Object.fromEntries(changed.map(({ name, value }) => [name, shownValue(value)])),
    }),
  };
}

/** A text may be a path or an address. So it is not shown, only that it is given. */
const shownValue = (value: SettingReport['value']): string | number | boolean =>
  typeof value === 'number' || typeof value === 'boolean' || /^[a-z]{1,16}$/.test(value ?? '')
    ? (value ?? '')
    : 'given';
