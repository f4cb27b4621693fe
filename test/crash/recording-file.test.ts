import { appendFileSync, closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { appendLines } from '../../src/parity/recording-file.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A disk that takes a number of bytes and is full from then on. */
const disk = vi.hoisted(() => ({ bytesLeft: 0, whenFull: (): void => undefined }));
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const writeSync = (file: number, bytes: Buffer, at: number): number => {
    const { bytesLeft, whenFull } = disk;
    if (bytesLeft === 0) {
      whenFull();
      throw new Error('ENOSPC');
    }
    disk.bytesLeft = 0;
    return fs.writeSync(file, bytes.subarray(at, at + bytesLeft));
  };
  return { ...fs, writeSync };
});

const folder = temporaryFolder();
afterAll(() => folder.remove());
const path = join(folder.path, 'recording.ndjson');

/**
 * Appends two lines to a recording on a disk that has room only for the first line and half of the second line. Returns
 * the content of the recording.
 */
function contentAfterFullDisk(whenFull = (): void => undefined): string {
  writeFileSync(path, 'head\n');
  const file = openSync(path, 'a+');
  Object.assign(disk, { bytesLeft: 'first\nsec'.length, whenFull });
  expect(() => appendLines(file, Buffer.from('first\nsecond\n'))).toThrow('ENOSPC');
  closeSync(file);
  return readFileSync(path, 'utf8');
}

it('When the disk is full, the recording ends with a complete line', () => {
  expect(contentAfterFullDisk()).toBe('head\nfirst\n');
});

it('When the disk is full, lines that another server has added to the recording are kept', () => {
  expect(contentAfterFullDisk(() => appendFileSync(path, '\nother\n'))).toBe('head\nfirst\nsec\nother\n');
});
