// Records the requests that an emulator answers, without their secrets. Lines are written at the end of the turn of the event loop in
// which the responses were made, so that a killed process loses at most one turn. If the disk refuses them, the recording ends and the
// service continues.

import { isUtf8 } from 'node:buffer';
import { closeSync, fstatSync } from 'node:fs';
import manifest from '../../package.json' with { type: 'json' };
import type { EmulatorLog } from '../model/emulator-log.ts';
import type { RequestRecord } from '../model/request-record.ts';
import type { SettingReport } from '../model/setting-report.ts';
import {
  type DataChange,
  type Exchange,
  harVersion,
  type NamedValue,
  type RecordedBody,
  type RecordingHead,
} from './exchange.ts';
import { appendLines, openRecordingFile } from './recording-file.ts';
import { createSecretRemover, type SecretRemover } from './remove-secrets.ts';

/** Limit: a larger file adds little information, and fills disks. */
const fileBytesMax = 1_073_741_824;
/** Maximum for lines that wait for the end of a turn. */
const waitingCharsMax = 4 * 1_048_576;

/** A response as it is handed to the socket; undefined if the connection was closed without one. */
export interface SentResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Buffer;
}

export interface Recorder {
  /** The bodies of the record and of the response must still be in memory. */
  take(record: RequestRecord, response: SentResponse | undefined): void;
  /** Call when tables changed without a request. */
  dataChanged(account: string, table?: string): void;
  /** Writes waiting lines and closes the file. */
  close(): void;
}

export interface RecorderOptions {
  readonly path: string;
  /** Keys of accounts, in base64. */
  readonly keys: readonly string[];
  readonly log: EmulatorLog | undefined;
  readonly settings?: readonly SettingReport[];
  readonly bytesMax?: number;
}

/** Throws UnusableRecording. */
export function openRecorder({ path, keys, log, settings = [], bytesMax = fileBytesMax }: RecorderOptions): Recorder {
  const remover = createSecretRemover(keys);
  const file = openRecordingFile(path);
  let bytes = fstatSync(file).size;
  let waiting: string[] = [];
  let chars = 0;
  let isOpen = true;
  const end = (): void => {
    if (!isOpen) return;
    [isOpen, waiting] = [false, []];
    closeSync(file);
  };
  const flush = (): void => {
    if (!isOpen || waiting.length === 0) return;
    const lines = waiting.join('');
    [waiting, chars] = [[], 0];
    try {
      appendLines(file, lines);
    } catch (err) {
      end();
      log?.warn({ err, file: path }, `the recording to ${path} ended: ${(err as Error).message}`);
    }
  };
  const add = (value: RecordingHead | Exchange | DataChange): void => {
    if (!isOpen) return;
    const line = `${JSON.stringify(value)}\n`;
    bytes += Buffer.byteLength(line);
    if (bytes > bytesMax) {
      flush();
      end();
      log?.warn({ file: path }, `the recording to ${path} ended: it has reached ${bytesMax} bytes`);
      return;
    }
    if (waiting.length === 0) setImmediate(flush);
    waiting.push(line);
    chars += line.length;
    if (chars > waitingCharsMax) flush();
  };
  add(headWith(settings));
  return {
    take: (record, response) => isOpen && add(exchangeOf(record, response, remover)),
    dataChanged: (account, table) => add({ _dataChange: { account, ...(table === undefined ? {} : { table }) } }),
    close() {
      flush();
      end();
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

/** Texts may be paths and addresses, so only that they are given is shown. */
const shownValue = (value: SettingReport['value']): string | number | boolean =>
  typeof value === 'number' || typeof value === 'boolean' || /^[a-z]{1,16}$/.test(value ?? '')
    ? (value ?? '')
    : 'given';

function exchangeOf(record: RequestRecord, response: SentResponse | undefined, remover: SecretRemover): Exchange {
  const { method, headers, body, fault, startedAtMs } = record;
  const host = typeof headers['host'] === 'string' ? headers['host'] : 'localhost';
  const url = record.url.startsWith('/') ? `http://${host}${record.url}` : record.url;
  const sent = response && { ...response, mimeType: typeIn(response.headers) };
  const fields = Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : (value ?? [])).map((one) => [name, one] as const),
  );
  const exchange = {
    startedDateTime: new Date(startedAtMs).toISOString(),
    time: 0,
    request: {
      method,
      url: remover.text(url),
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: namedValues(fields, remover),
      queryString: [],
      ...(body && body.length > 0 ? { postData: payload(body, typeIn(fields), remover) } : {}),
      headersSize: -1,
      bodySize: body?.length ?? 0,
    },
    response: {
      status: sent?.status ?? 0,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: namedValues(sent?.headers ?? [], remover),
      content: { size: sent?.body?.length ?? 0, ...payload(sent?.body ?? '', sent?.mimeType ?? '', remover) },
      redirectURL: '',
      headersSize: -1,
      bodySize: sent?.body?.length ?? 0,
    },
    cache: {},
    timings: { send: 0, wait: 0, receive: 0 },
    ...(fault?.isOutcome ? { _fault: fault.rule } : {}),
  };
  return exchange;
}

type HeaderPairs = readonly (readonly [name: string, value: string])[];

const typeIn = (headers: HeaderPairs): string =>
  headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';

const namedValues = (headers: HeaderPairs, remover: SecretRemover): NamedValue[] =>
  headers.map(([name, value]) => ({ name, value: remover.header(name.toLowerCase(), value) }));

/** Bytes that are not UTF-8 are kept in base64. */
function payload(body: string | Buffer, mimeType: string, remover: SecretRemover): RecordedBody {
  if (typeof body === 'string') return { mimeType, text: remover.text(body) };
  if (isUtf8(body)) return { mimeType, text: remover.text(body.toString('utf8')) };
  return {
    mimeType,
    text: Buffer.from(remover.text(body.toString('latin1')), 'latin1').toString('base64'),
    encoding: 'base64',
  };
}
