import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AccountsFile, openAccountsFile } from '../../../src/auth/accounts-file.ts';
import { isSignedBy } from '../../../src/auth/shared-key.ts';
import { temporaryFolder } from '../storage/temporary-folder.ts';

const folder = temporaryFolder();
const file = join(folder.path, 'accounts');
const keyOf = (text: string): string => Buffer.from(text.repeat(32)).toString('base64');
/** HMAC-SHA256 of an empty text by a key of 32 times `b`. */
const signatureByB = 'VCQX/Qw4yjcym2S1CDm/wfWystj2dSrjF34WWfQH88g=';

const onUnreadable = vi.fn();
let opened: AccountsFile;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onUnreadable.mockClear();
  writeFileSync(file, `first:${keyOf('a')}`);
  opened = openAccountsFile(file, onUnreadable);
});

afterEach(() => {
  opened.close();
  vi.useRealTimers();
});

const aSecondPasses = (): unknown => vi.advanceTimersByTime(1_000);
const names = (): string[] => [...opened.accounts.names()];

describe('A file of accounts', () => {
  it('is read again within a second of a change, one at once after the first reading included', () => {
    expect(names()).toEqual(['first']);
    expect(isSignedBy(opened.accounts.keysOf('first') ?? [], '', signatureByB)).toBe(false);

    writeFileSync(file, `first:${keyOf('b')};second:${keyOf('a')}:${keyOf('b')}`);
    aSecondPasses();
    expect(names()).toEqual(['first', 'second']);
    expect(opened.accounts.keysOf('second')).toHaveLength(2);
    expect(isSignedBy(opened.accounts.keysOf('first') ?? [], '', signatureByB)).toBe(true);
  });

  it('stays as it was while the file is gone, which is told once, and is read again when it is back', () => {
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

  it('stays as it was while the file names no account, which is told once', () => {
    writeFileSync(file, 'first:no key');
    aSecondPasses();
    aSecondPasses();
    expect(onUnreadable.mock.calls).toEqual([[new Error('a key of account first is not base64')]]);
    expect(names()).toEqual(['first']);
  });

  it('is left alone once it is closed', () => {
    opened.close();
    writeFileSync(file, `second:${keyOf('a')}`);
    aSecondPasses();
    expect(names()).toEqual(['first']);
  });

  it('is refused when it cannot be read at first', () => {
    expect(() => openAccountsFile(join(folder.path, 'none'), onUnreadable)).toThrow('ENOENT');
  });
});
