// Writes the log of the command as JSON lines or as lines for a person, to standard output or to a file. A slow or
// broken destination does not stop the emulator: see LineWriter.

import { constants, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import pino, { stdSerializers } from 'pino';
import type { EmulatorLog } from '../model/emulator-log.ts';
import { cutMiddle, escapeControls } from '../model/printable-text.ts';
import type { RequestRecord } from '../model/request-record.ts';
import { isNoteworthy, summarizeRequest, withoutSignature } from '../model/summarize-request.ts';
import { type MachineTime, systemModelTime } from '../model/time.ts';
import { createFolder } from '../storage/create-folder.ts';
import { UnusableOption } from './exit-codes.ts';
import { LineWriter } from './line-writer.ts';
import { eventLine, type LogEvent, requestLine, spellMs } from './request-line.ts';

export interface LogOptions {
  readonly isPretty: boolean;
  /** Standard output holds nothing but JSON. */
  readonly isJsonOnly: boolean;
  /** The log goes to this file instead of standard output, always as JSON. */
  readonly debugFile?: string;
  readonly level: 'error' | 'warn' | 'info' | 'debug';
  readonly time: MachineTime;
}

/** The log, and the other lines that the command prints on standard output. */
export interface CommandLog extends EmulatorLog {
  /** Writes the line of a request. */
  request(record: RequestRecord): void;
  /**
   * Prints a line that tools wait for. The line goes before all log lines that are not yet written. With `isJsonOnly`,
   * the line is JSON and includes the fields.
   */
  say(line: string, fields?: object): void;
  /** Resolves when everything is written, or after half a second. */
  flush(): Promise<void>;
}

const flushMsMax = 500;

/** Throws UnusableOption for a debug file that cannot be opened. */
export async function createLog({
  isPretty,
  isJsonOnly,
  debugFile,
  level: wanted,
  time,
}: LogOptions): Promise<CommandLog> {
  const output = new LineWriter(standardOutput(), { time, onDropped });
  const destination = debugFile === undefined ? output : new LineWriter(openFile(debugFile), { time, onDropped });
  const level = debugFile === undefined ? wanted : 'debug';
  const isPersonal = isPretty && debugFile === undefined;
  const format = isPersonal ? await personalFormat() : asItIs;
  // Errors are serialized in safeValue.
  const serializers = { err: (fields: object) => fields };
  const logger = pino({ level, base: null, serializers }, { write: (line) => destination.write(format(line)) });
  const spoken = isJsonOnly ? pino({ base: null }, { write: (line) => output.writeFirst(line) }) : undefined;

  /** The writers call this only later, when `logger` exists. */
  function onDropped(lines: number): void {
    logger.warn({ linesDropped: lines }, `${lines} lines were dropped here: the log's destination did not accept them`);
  }
  const writePersonal = (record: RequestRecord): void => destination.write(`${personalLine(record, level)}\n`);
  const writeJson = (record: RequestRecord): void =>
    logger[levelOf(record)](
      safeReport(record),
      `${record.method} ${safeText(withoutSignature(record.url))} ${record.status}`,
    );
  const write = (level: Level, fields: object, message: string): void => {
    if (!logger.isLevelEnabled(level)) return;
    const event = isPersonal ? eventOf(fields, message) : undefined;
    if (event) destination.write(`${eventLine(event, terminal())}\n`);
    else logger[level](safeFields(fields, depthMax), safeText(message));
  };
  return {
    request(record) {
      if (logger.isLevelEnabled(levelOf(record))) (isPersonal ? writePersonal : writeJson)(record);
    },
    debug: (fields, message) => write('debug', fields, message),
    info: (fields, message) => write('info', fields, message),
    warn: (fields, message) => write('warn', fields, message),
    error: (fields, message) => write('error', fields, message),
    linesDropped: () => destination.dropped,
    say(line, fields = {}) {
      if (spoken) spoken.info(fields, line);
      else output.writeFirst(`${line}\n`);
    },
    flush: async () => void (await Promise.all([output.flush(flushMsMax), destination.flush(flushMsMax)])),
  };
}

/** The descriptor of standard output, in the non-blocking mode that LineWriter needs. */
function standardOutput(): number {
  // For a pipe, Node sets non-blocking mode as soon as `process.stdout` is read. For a terminal, only the handle of the
  // stream can set this mode, and the handle has no public name.
  const { _handle } = process.stdout as { readonly _handle?: { setBlocking?(isBlocking: boolean): void } };
  _handle?.setBlocking?.(false);
  return 1;
}

/** Opens a file in non-blocking mode, which a named pipe needs. Windows has no such flag. Throws UnusableOption. */
function openFile(file: string): number {
  const { O_WRONLY, O_CREAT, O_APPEND, O_NONBLOCK = 0 } = constants;
  try {
    createFolder(dirname(file));
    return openSync(file, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK, 0o666);
  } catch (error) {
    const reason = isFolder(file) ? 'it is a folder' : error instanceof Error ? error.message : String(error);
    throw new UnusableOption(`--debug ${file} cannot be written: ${reason}.`);
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

type Format = (line: string) => string;

const asItIs: Format = (line) => line;

async function personalFormat(): Promise<Format> {
  const { prettyFactory } = await import('pino-pretty');
  const pretty = prettyFactory({ ...personalLines, colorize: isColoured() });
  return (line) => pretty(line) ?? '';
}

/** With `--log-level warn`, the log has only noteworthy requests. */
const levelOf = (record: RequestRecord): 'warn' | 'info' => (isNoteworthy(record) ? 'warn' : 'info');

/** Follows https://no-color.org and https://force-color.org. */
function isColoured({ NO_COLOR, FORCE_COLOR }: NodeJS.ProcessEnv = process.env): boolean {
  if (FORCE_COLOR) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return !NO_COLOR && process.stdout.isTTY === true;
}

/** Lines in a file or a pipe may have any length. */
const terminal = (): { columns: number; isColoured: boolean; time: string } => ({
  columns: process.stdout.columns ?? Number.POSITIVE_INFINITY,
  isColoured: isColoured(),
  time: timeOfDay(),
});

/** Gives the local time of day, formatted once a second. */
function createClock(): () => string {
  let [second, text] = [Number.NaN, ''];
  return () => {
    const ms = systemModelTime.nowMs();
    const current = Math.floor(ms / 1000);
    if (current !== second) [second, text] = [current, new Date(ms).toTimeString().slice(0, 8)];
    return text;
  };
}

const timeOfDay = createClock();

function personalLine(record: RequestRecord, level: LogOptions['level']): string {
  return requestLine(record, { ...terminal(), isDetailed: level === 'debug' });
}

/**
 * Returns the parts of a log line if the line is about the control plane or about capacity. For any other line, returns
 * undefined, and the line keeps pino's form.
 */
function eventOf(fields: object, message: string): LogEvent | undefined {
  const { operation, status, durationMs } = fields as Readonly<Record<string, unknown>>;
  if (operation === 'Capacity')
    return { mark: 'warn', style: 'yellow', subject: operation, notes: [safeText(message)] };
  if (operation !== 'Control' || typeof status !== 'number' || typeof durationMs !== 'number') return undefined;
  return {
    mark: String(status),
    style: status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'dim',
    subject: operation,
    details: safeText(message.replace(/ \d+$/, '')),
    took: spellMs(durationMs),
  };
}

/**
 * Makes the texts of a report safe for a terminal. Changes the report in place, because the report was made only for
 * this line.
 */
function safeReport(record: RequestRecord): object {
  const report = summarizeRequest(record) as unknown as Record<string, unknown>;
  for (const name in report) {
    const value = report[name];
    if (typeof value === 'string') report[name] = safeText(value);
    else if (typeof value === 'object') report[name] = safeValue(value, depthMax);
  }
  return report;
}

/** Each entry takes one line, except for the stack of an error. */
export const personalLines = {
  singleLine: true,
  ignore: 'pid,hostname',
  translateTime: 'SYS:HH:MM:ss.l',
  // By default, pino-pretty prints messages in cyan, which is hard to read on white. `useOnlyCustomProps: false` keeps
  // pino-pretty's colours for levels.
  customColors: { message: 'reset' },
  useOnlyCustomProps: false,
} as const;

/** Longer texts are cut, because clients choose the text of addresses and ids. */
const textCharsMax = 1_024;
const stackCharsMax = 8_192;
/** Log fields are shallow; a deeper object is left to the limits of pino. */
const depthMax = 4;

type Level = 'debug' | 'info' | 'warn' | 'error';

function safeText(text: string): string {
  return escapeControls(cutMiddle(text, textCharsMax));
}

/** Keeps line ends: pino-pretty indents the lines. */
function safeStack(stack: string): string {
  return cutMiddle(stack, stackCharsMax).split('\n').map(escapeControls).join('\n');
}

function safeFields(fields: object, depth: number): object {
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    name === 'stack' && typeof value === 'string' ? safeStack(value) : safeValue(value, depth),
  ]);
  return Object.fromEntries(entries) as object;
}

function safeValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return safeText(value);
  if (typeof value !== 'object' || value === null || depth === 0) return value;
  if (value instanceof Error) return safeFields(stdSerializers.err(value), depth - 1);
  if (Array.isArray(value)) return value.map((item) => safeValue(item, depth - 1));
  return safeFields(value, depth - 1);
}
