import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AccountsFile, openAccountsFile } from '../../../src/auth/accounts-file.ts';
import { isSignedBy } from '../../../src/auth/shared-key.ts';
import { ManualTime } from '../../support/manual-time.ts';
import { makeNamedPipe } from '../../support/named-pipe.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
const file = join(folder.path, 'accounts');
const keyOf = (text: string): string => Buffer.from(text.repeat(32)).toString('base64');
/** The HMAC-SHA256 of an empty text, with a key of 32 bytes `b`. */
const signatureByB = 'VCQX/Qw4yjcym2S1CDm/wfWystj2dSrjF34WWfQH88g=';

const onUnreadable = vi.fn();
let opened: AccountsFile;

let time: ManualTime;

beforeEach(() => {
  time = new ManualTime();
  onUnreadable.mockClear();
  rmSync(file, { recursive: true, force: true });
  writeFileSync(file, `first:${keyOf('a')}`);
  opened = openAccountsFile(file, { time, onUnreadable });
});

afterEach(() => opened.close());
afterAll(() => folder.remove());

const aSecondPasses = (): void => time.advance(1_000);
const names = (): string[] => [...opened.accounts.names()];

describe('A file of accounts', () => {
  it('is read again within a second after a change, even directly after the first reading', () => {
    expect(names()).toEqual(['first']);
    expect(isSignedBy(opened.accounts.keysOf('first') ?? [], '', signatureByB)).toBe(false);

    writeFileSync(file, `first:${keyOf('b')};second:${keyOf('a')}:${keyOf('b')}`);
    aSecondPasses();
    expect(names()).toEqual(['first', 'second']);
    expect(opened.accounts.keysOf('second')).toHaveLength(2);
    expect(isSignedBy(opened.accounts.keysOf('first') ?? [], '', signatureByB)).toBe(true);
  });

  it('keeps its accounts while the file is missing, reports that once, and is read again when it is back', () => {
    rmSync(file);
    aSecondPasses();
    aSecondPasses();
    expect(onUnreadable).toHaveBeenCalledTimes(1);
    expect(onUnreadable.mock.lastCall?.[0]).toMatchObject({ code: 'ENOENT' });
    expect(names()).toEqual(['first']);

    writeFileSync(file, `second:${keyOf('a')}`);
    aSecondPasses();
    expect(names()).toEqual(['second']);
  });

  it('keeps its accounts while the file names no accounts, and reports that once', () => {
    writeFileSync(file, 'first:no key');
    aSecondPasses();
    aSecondPasses();
    expect(onUnreadable.mock.calls).toEqual([[new Error('a key of account first is not base64')]]);
    expect(names()).toEqual(['first']);
  });

  it('is not read after it was closed', () => {
    opened.close();
    writeFileSync(file, `second:${keyOf('a')}`);
    aSecondPasses();
    expect(names()).toEqual(['first']);
  });

  it('is refused if the first reading fails', () => {
    const open = (name: string) => () => openAccountsFile(join(folder.path, name), { time, onUnreadable });
    expect(open('none')).toThrow('ENOENT');
    writeFileSync(join(folder.path, 'large'), 'x'.repeat(1_048_577));
    expect(open('large')).toThrow('it is larger than 1048576 bytes');
  });

  it.skipIf(process.platform === 'win32')('is refused immediately if it is a folder, a device or a named pipe', () => {
    const pipe = join(folder.path, 'pipe');
    makeNamedPipe(pipe);
    for (const name of [folder.path, '/dev/null', '/dev/zero', pipe]) {
      expect(() => openAccountsFile(name, { time, onUnreadable })).toThrow('it is not a regular file');
    }
  });

  it.skipIf(process.platform === 'win32')(
    'keeps its accounts while a named pipe replaces the file, and reports that once',
    () => {
      rmSync(file);
      makeNamedPipe(file);
      aSecondPasses();
      aSecondPasses();
      expect(onUnreadable.mock.calls).toEqual([[new Error('it is not a regular file')]]);
      expect(names()).toEqual(['first']);
    },
  );
});
