// Reads recordings. A recording that the emulator wrote is read line by line; an HTTP archive that another program
// wrote is read as one document. The content of a file is not trusted: each entry is checked before other code reads
// it.

import { createReadStream, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import {
  type DataChange,
  type Exchange,
  harVersion,
  type NamedValue,
  type RecordedBody,
  type RecordingHead,
} from './exchange.ts';
import { isRecordingHead } from './recording-file.ts';

/** The message is the end of a sentence that begins with the name of the file. */
export class RecordingFault extends Error {}

export type Recorded =
  | { readonly kind: 'head'; readonly program: string; readonly head: RecordingHead }
  | { readonly kind: 'exchange'; readonly exchange: Exchange; readonly number: number; readonly characters: number }
  | { readonly kind: 'change'; readonly account: string; readonly table: string | undefined }
  /** An incomplete line, left by a process that was killed while it recorded. */
  | { readonly kind: 'torn' };

/** Limit: a request and a response of 4 MiB, each byte escaped. */
const lineCharsMax = 64 * 1_048_576;
/** Limit: an archive is one JSON document. */
const archiveBytesMax = 256 * 1_048_576;

/**
 * Reads the items of a recording in order. `number` counts the requests from 1. Throws RecordingFault, and the errors
 * of the operating system.
 */
export async function* readRecording(path: string): AsyncGenerator<Recorded> {
  // A pipe could not be read twice.
  if (!statSync(path).isFile()) throw new RecordingFault('is not a file');
  let [number, line] = [0, 0];
  let [torn, isEmpty] = [0, true];
  for await (const text of linesOf(path)) {
    line += 1;
    if (text.trim() === '') continue;
    const isFirst = isEmpty;
    isEmpty = false;
    const value = parse(text);
    if (isFirst && !isRecordingHead(value)) return yield* readArchive(path);
    if (isRecordingHead(value)) {
      torn = 0;
      yield { kind: 'head', program: `${value.creator.name} ${value.creator.version}`, head: value };
      continue;
    }
    // Only the last line of a run may be incomplete.
    if (torn > 0) throw new RecordingFault(`has no JSON in line ${torn}`);
    if (value === undefined) {
      torn = line;
      yield { kind: 'torn' };
      continue;
    }
    const change = changeIn(value);
    yield change ?? exchangeIn(value, { number: ++number, place: `line ${line}`, characters: text.length });
  }
  if (isEmpty) throw new RecordingFault('is empty');
}

async function* linesOf(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let length = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1_048_576 }) as AsyncIterable<Buffer>) {
    const [first = '', ...rest] = decoder.decode(chunk, { stream: true }).split('\n');
    parts.push(first);
    length += first.length;
    if (length > lineCharsMax) throw new RecordingFault(`has a line of more than ${lineCharsMax} characters`);
    for (const next of rest) {
      yield parts.join('');
      parts.splice(0, parts.length, next);
      length = next.length;
    }
  }
  parts.push(decoder.decode());
  if (parts.some((part) => part !== '')) yield parts.join('');
}

async function* readArchive(path: string): AsyncGenerator<Recorded> {
  const what = 'is neither a recording of the emulator nor an HTTP archive';
  if (statSync(path).size > archiveBytesMax) throw new RecordingFault(`${what} of at most ${archiveBytesMax} bytes`);
  const archive = parse((await readFile(path, 'utf8')).replace(/^\ufeff/, '')) as
    | { log?: { creator?: { name?: unknown; version?: unknown }; entries?: unknown } }
    | undefined;
  const { entries, creator } = archive?.log ?? {};
  if (!Array.isArray(entries)) throw new RecordingFault(what);
  const name = typeof creator?.name === 'string' ? creator.name.slice(0, 64) : 'another program';
  const head = { version: harVersion, creator: { name: `the archive of ${name}`, version: '' } } as const;
  yield { kind: 'head', program: `the server of ${name}'s archive`, head };
  for (const [at, entry] of entries.entries()) {
    yield exchangeIn(entry, { number: at + 1, place: `entry ${at + 1}`, characters: 0 });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function changeIn(value: unknown): Recorded | undefined {
  const change = (value as Partial<DataChange> | null)?._dataChange;
  if (typeof change?.account !== 'string' || !['string', 'undefined'].includes(typeof change.table)) return undefined;
  return { kind: 'change', account: change.account, table: change.table };
}

interface Place {
  readonly number: number;
  readonly place: string;
  readonly characters: number;
}

function exchangeIn(value: unknown, { number, place, characters }: Place): Recorded {
  const fault = faultIn(value as DeepPartial<Exchange> | null);
  if (fault !== undefined) throw new RecordingFault(`${place} is not an entry of an HTTP archive: ${fault}`);
  return { kind: 'exchange', exchange: value as Exchange, number, characters };
}

type DeepPartial<Value> = { readonly [Name in keyof Value]?: unknown };

function faultIn(entry: DeepPartial<Exchange> | null): string | undefined {
  const { startedDateTime, request, response } = entry ?? {};
  const { method, url, headers, postData } = (request ?? {}) as DeepPartial<Exchange['request']>;
  const { status, headers: responseHeaders, content } = (response ?? {}) as DeepPartial<Exchange['response']>;
  if (typeof startedDateTime !== 'string' || Number.isNaN(Date.parse(startedDateTime)))
    return 'startedDateTime is not a date';
  if (typeof method !== 'string' || !/^[!#$%&'*+.^_`|~\w-]{1,32}$/.test(method))
    return 'request.method is not a method';
  if (typeof url !== 'string' || !/^https?:\/\/[^/\s]/i.test(url)) return 'request.url is not an absolute address';
  if (typeof status !== 'number' || !Number.isSafeInteger(status)) return 'response.status is not a number';
  if (!areNamedValues(headers) || !areNamedValues(responseHeaders)) return 'headers are not a list of names and values';
  if (postData !== undefined && !isBody(postData)) return 'request.postData has no text';
  return isBody(content) ? undefined : 'response.content is missing';
}

const areNamedValues = (value: unknown): value is readonly NamedValue[] =>
  Array.isArray(value) &&
  value.every((one: Partial<NamedValue> | null) => typeof one?.name === 'string' && typeof one.value === 'string');

function isBody(value: unknown): value is RecordedBody {
  const { text, encoding } = (value ?? {}) as DeepPartial<RecordedBody>;
  const isText = text === undefined || typeof text === 'string';
  return (
    typeof value === 'object' &&
    value !== null &&
    isText &&
    (encoding === undefined || encoding === 'base64' || encoding === '')
  );
}
