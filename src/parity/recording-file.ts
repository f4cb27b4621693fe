// The file to which a recording is appended. If the disk becomes full, the incomplete last line is removed. Only the
// owner of the file can read it; on Windows, access depends on the folder.

import { closeSync, constants, fchmodSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { harVersion, type RecordingHead } from './exchange.ts';

/** The message names the file, and says why nothing can be recorded there. */
export class UnusableRecording extends Error {}

/** Opens the file, or creates it with mode 600. Throws UnusableRecording for any other kind of file. */
export function openRecordingFile(path: string): number {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  let file: number | undefined;
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for a reader.
    file = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
    checkContent(file);
    // Windows has no file modes; access depends on the folder.
    if (process.platform !== 'win32') fchmodSync(file, 0o600);
    return file;
  } catch (error) {
    if (file !== undefined) closeSync(file);
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UnusableRecording(`cannot record to ${path}: ${code === 'ELOOP' ? 'it is a symbolic link' : message}`);
  }
}

const headBytesMax = 4_096;

function checkContent(file: number): void {
  const found = fstatSync(file);
  if (!found.isFile()) throw new Error('it is not a file');
  if (found.size === 0) return;
  const head = Buffer.alloc(headBytesMax);
  const text = head.toString('utf8', 0, readSync(file, head, 0, headBytesMax, 0));
  if (!isRecordingHead(parse(text.split('\n', 1)[0] ?? ''))) throw new Error('it exists and is not a recording');
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, found.size - 1);
  // A process that was killed may have left an incomplete line.
  if (last[0] !== lineFeed) writeSync(file, '\n');
}

const lineFeed = 0x0a;

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

export function isRecordingHead(value: unknown): value is RecordingHead {
  const { version, creator } = (value ?? {}) as { version?: unknown; creator?: { name?: unknown; version?: unknown } };
  return version === harVersion && typeof creator?.name === 'string' && typeof creator.version === 'string';
}

/** Writes bytes from an offset on, and returns how many of them it has written. Throws the system's error. */
type Write = (file: number, bytes: Buffer, offset: number) => number;

/** Appends lines. If the disk becomes full, keeps the complete lines and throws the system's error. */
export function appendLines(file: number, lines: Buffer, write: Write = writeSync): void {
  const { size } = fstatSync(file);
  let written = 0;
  try {
    while (written < lines.length) written += write(file, lines, written);
  } catch (error) {
    attempt(() => cutPartialLine(file, { size, added: lines.subarray(0, written) }));
    throw error;
  }
}

/**
 * Removes the incomplete line that a failed write left at the end of the file, so that the recording ends with a
 * complete line. If another server has appended to the file after the failed write, the incomplete line stays.
 */
function cutPartialLine(file: number, { size, added }: { readonly size: number; readonly added: Buffer }): void {
  if (fstatSync(file).size !== size + added.length) return;
  ftruncateSync(file, size + added.lastIndexOf(lineFeed) + 1);
}

function attempt(run: () => void): void {
  try {
    run();
  } catch {
    // Readers ignore an incomplete line.
  }
}
