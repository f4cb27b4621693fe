import { closeSync, constants, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LineWriter } from '../../../src/cli/line-writer.ts';
import { systemMachineTime } from '../../../src/model/time.ts';
import { makeNamedPipe } from '../../support/named-pipe.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let folder: { path: string; remove(): void };
let pipe: number;
let writer: LineWriter;
const notices: number[] = [];

beforeEach(() => {
  folder = temporaryFolder();
  const fifo = join(folder.path, 'pipe');
  makeNamedPipe(fifo);
  // One descriptor opens both ends, so that the pipe accepts lines before anything is read.
  pipe = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
  notices.length = 0;
  const onDropped = (lines: number): void => {
    notices.push(lines);
    writer.write(`${lines} dropped\n`);
  };
  writer = new LineWriter(pipe, { time: systemMachineTime, onDropped });
});
afterEach(async () => {
  // Waits until the writer has nothing left to write. After the pipe is closed, a new file may get the number of the
  // pipe's descriptor, and a late line would then go to this file.
  if (writer.dropped > 0 && notices.length === 0) await readUntil(' dropped\n');
  closeSync(pipe);
  folder.remove();
});

/** Reads the current content of the pipe. */
function read(): string {
  const buffer = Buffer.alloc(1_048_576);
  try {
    return buffer.toString('utf8', 0, readSync(pipe, buffer));
  } catch {
    return '';
  }
}

/** Reads until the text has arrived. */
async function readUntil(text: string): Promise<string> {
  let seen = '';
  await vi.waitFor(
    () => {
      seen += read();
      expect(seen.includes(text)).toBe(true);
    },
    { timeout: 60_000, interval: 1 },
  );
  return seen;
}

const line = (at: number): string => `${String(at).padStart(1_023, '.')}\n`;

/** Writes far more than the pipe and the writer can buffer. */
function overfill(): number {
  for (let at = 0; at < 3_000; at++) writer.write(line(at));
  return 3_000;
}

describe.skipIf(process.platform === 'win32')('A writer of lines to a pipe that is not read', () => {
  it('drops the lines beyond its bound and counts them', () => {
    overfill();
    expect(writer.dropped).toBe(3_000 - 1_024);
  });

  it('says once how many lines were dropped, in their place, when the pipe is read again, and continues', async () => {
    overfill();
    const dropped = writer.dropped;
    const text = await readUntil(' dropped\n');
    expect(notices).toEqual([dropped]);
    writer.write('after\n');
    const kept = Array.from({ length: 3_000 - dropped }, (_, at) => line(at)).join('');
    expect(text + (await readUntil('after\n'))).toBe(`${kept}${dropped} dropped\nafter\n`);
    expect(writer.dropped).toBe(dropped);
  });

  it('accepts urgent lines, and writes them after the current line and before the waiting ones', async () => {
    overfill();
    writer.writeFirst('closing\n');
    writer.writeFirst('closed\n');
    const lines = (await readUntil(' dropped\n')).split('\n').slice(0, -1);
    const at = lines.indexOf('closing');
    expect(lines[at + 1]).toBe('closed');
    expect(at).toBeGreaterThan(0);
    expect(lines.length - at).toBeGreaterThan(500);
    expect(lines.filter((text) => text.length !== 1_023)).toHaveLength(3);
  });

  it('limits the wait for a flush', async () => {
    overfill();
    await writer.flush(1);
    expect(read()).not.toContain('dropped');
  });
});

describe.skipIf(process.platform === 'win32')('A writer of lines', () => {
  it('has written everything after a flush', async () => {
    writer.write('one\n');
    writer.write('two\n');
    await writer.flush(10_000);
    expect(read()).toBe('one\ntwo\n');
  });

  it.skipIf(process.platform !== 'linux')('is flushed immediately if its destination refuses every line', async () => {
    // This file stays open, because the writer keeps trying to write.
    const full = openSync('/dev/full', 'w');
    const refused = new LineWriter(full, { time: systemMachineTime, onDropped: () => undefined });
    refused.write('lost\n');
    await refused.flush(60_000);
    expect(refused.dropped).toBe(0);
  });
});
