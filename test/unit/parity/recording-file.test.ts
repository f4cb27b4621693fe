import { appendFileSync, closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { appendLines } from '../../../src/parity/recording-file.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

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
  let bytesLeft = 'first\nsec'.length;
  const write = (descriptor: number, bytes: Buffer, offset: number): number => {
    if (bytesLeft === 0) {
      whenFull();
      throw new Error('ENOSPC');
    }
    const part = bytes.subarray(offset, offset + bytesLeft);
    bytesLeft = 0;
    return writeSync(descriptor, part);
  };
  expect(() => appendLines(file, Buffer.from('first\nsecond\n'), write)).toThrow('ENOSPC');
  closeSync(file);
  return readFileSync(path, 'utf8');
}

it('When the disk is full, the recording ends with a complete line', () => {
  expect(contentAfterFullDisk()).toBe('head\nfirst\n');
});

it('When the disk is full, lines that another server has added to the recording are kept', () => {
  expect(contentAfterFullDisk(() => appendFileSync(path, '\nother\n'))).toBe('head\nfirst\nsec\nother\n');
});
